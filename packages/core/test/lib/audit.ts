/** Nothing is lost and nothing is doubled: seen on disk, never believed of a server. */
import { expect } from "bun:test"
import type { Turn } from "@vigil/schema/turn"
import { join } from "node:path"
import { readBytes } from "../../src/shell/page.ts"
import { type Stored, storedIn } from "./stored.ts"

const numbers = (lines: ReadonlyArray<string>) => lines.map((line) => Number(/^(\d+);$/.exec(line)?.[1]))

/** The number of the last whole line that a monitor's saved output holds, per monitor that ran. */
export const savedLines = (stateDir: string) =>
  new Map(
    storedIn(stateDir)
      .monitors()
      .filter(({ monitor }) => monitor.status === "running")
      .map(({ monitor: { id, sessionID } }) => {
        const { bytes } = readBytes(
          join(stateDir, "sessions", sessionID, id, "stdout"),
          0,
          Number.MAX_SAFE_INTEGER
        )
        const whole = new TextDecoder().decode(bytes).split("\n").slice(0, -1)
        return [id, whole.length === 0 ? 0 : numbers(whole).at(-1)!]
      })
  )

/** Each monitor's lines, wherever they were told: in messages, rows that wait, and what a notice quotes. */
const linesTold = (stored: Stored) => {
  const payloads = [
    ...stored.messages().flatMap((message) => ("payload" in message ? [message.payload] : [])),
    ...stored.inbox().map(({ payload }) => payload)
  ]
  const told = new Map<string, Array<string>>()
  for (const payload of payloads) {
    if (payload.type !== "lines" && payload.type !== "notice") continue
    const lines =
      payload.type === "lines"
        ? payload.lines
        : payload.text.split("\n").filter((line) => /^\d+;?$/.test(line))
    told.set(payload.source.id, [...(told.get(payload.source.id) ?? []), ...lines])
  }
  return told
}

/**
 * What must hold after every start, of monitors that print `1;`, `2;` and so on: `saved` is what their output held
 * when the server died, `prompts` what it had answered for.
 */
export const audit = (stored: Stored, saved: ReadonlyMap<string, number>, prompts: ReadonlyArray<string>) => {
  const messages = stored.messages()
  const waiting = stored.inbox().map(({ id }) => id)
  const read = messages.filter(({ role }) => role === "user" || role === "event").map(({ id }) => String(id))
  const admitted = stored.admitted().map(({ id }) => id)
  // Every input once, in the transcript or in the inbox; every prompt that was answered for is there.
  expect([...read, ...waiting].toSorted()).toEqual(admitted.toSorted())
  expect(prompts.filter((id) => !admitted.includes(id))).toEqual([])

  const told = linesTold(stored)
  for (const { monitor } of stored.monitors()) {
    const { ledger, id } = monitor
    const found = told.get(id) ?? []
    // The crash may have cut the last one; what is there of it was told.
    const whole = found.filter((line) => line.endsWith(";"))
    expect([id, numbers(whole)]).toEqual([id, whole.map((_, index) => index + 1)])
    expect(found.length - whole.length).toBeLessThanOrEqual(1)
    if (saved.has(id)) expect(whole.length).toBeGreaterThanOrEqual(saved.get(id)!)
    expect([id, ledger.linesRead]).toEqual([
      id,
      ledger.linesDelivered + ledger.linesSuppressed + ledger.linesPending
    ])
    if (monitor.status === "ended") {
      expect([id, ledger.linesDelivered, ledger.linesSuppressed]).toEqual([id, found.length, 0])
      const notices = [...read, ...waiting].filter((input) => input === `${id}:end`)
      expect([id, notices.length]).toEqual([id, 1])
    }
  }

  // What was read is answered, its turn's end was told, or the session is at it.
  const ended = new Set(
    stored
      .events()
      .filter(({ type }) => type === "turn.ended")
      .map(({ data }) => (data as unknown as { turn: Turn }).turn.id)
  )
  const open: ReadonlyArray<unknown> = stored.openTurns()
  for (const [index, message] of messages.entries()) {
    if (message.role === "summary") continue
    if (message.role === "assistant") {
      if (message.status === "streaming") expect(open).toContain(message.turnID)
      continue
    }
    const answered = messages
      .slice(index)
      .some(
        (later) =>
          later.role === "assistant" && later.status === "completed" && later.sessionID === message.sessionID
      )
    expect(answered || ended.has(message.turnID) || open.includes(message.turnID)).toBe(true)
  }
  for (const part of stored.parts()) {
    if (part.type !== "tool" || part.status !== "running") continue
    expect(open[0]).toBe(messages.find(({ id }) => id === part.messageID)!.turnID)
  }
}
