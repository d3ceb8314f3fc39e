/** The feed as it comes over the wire: a client that knew everything up to 15. */
import type { FeedEvent } from "@vigil/schema/server"
import { lines, messageID, monitor, monitorID, partID, sessionID } from "./nouns.ts"

type Frame = typeof FeedEvent.Encoded

export const feed: ReadonlyArray<Frame> = [
  { type: "connected", storeID: "k2v9x4", seq: 17 },
  {
    seq: 16,
    id: "evt_8t2c5y9q0w3z7n",
    type: "monitor.event",
    sessionID,
    created: lines.createdAt,
    data: {
      monitorID,
      seq: 3,
      lines: ["FAIL test/login.test.ts", "1 failed, 41 passed"],
      ledger: monitor.ledger
    }
  },
  {
    seq: 17,
    id: "evt_5d1r8x4k6v0p2h",
    type: "inbox.admitted",
    sessionID,
    created: lines.createdAt,
    data: { input: lines }
  },
  {
    type: "message.delta",
    sessionID,
    messageID,
    partID,
    offset: 0,
    text: "One test fails"
  }
]

const frame = (event: Frame): string => {
  const data = `data: ${JSON.stringify(event)}\n\n`
  return "seq" in event && "id" in event ? `id: ${event.seq}\n${data}` : data
}

/** Each is one event; the comment is the heartbeat. */
export const frames: string = [...feed.map(frame), ":\n\n"].join("")
