/** A monitor as it is stored: what clients see, and how far its output was settled. */
import { Monitor } from "@vigil/schema/monitor"
import { Schema } from "effect"
import { recordsOf } from "../record.ts"

export const MonitorRecord = Schema.Struct({
  monitor: Monitor,
  /** Order of being started, across sessions. */
  order: Schema.Int,
  /** Of the last event. */
  seq: Schema.Int,
  /** Raw stdout offset up to which every line is in the ledger. */
  cursor: Schema.Int,
  timeoutMs: Schema.Int
})
export interface MonitorRecord extends Schema.Schema.Type<typeof MonitorRecord> {}

/** `monitor/<sessionID>/<monitorID>` */
export const monitorRecords = recordsOf({
  kind: "monitor",
  schema: MonitorRecord,
  place: ({ monitor, order }) => ({ sessionID: monitor.sessionID, id: monitor.id, order })
})
