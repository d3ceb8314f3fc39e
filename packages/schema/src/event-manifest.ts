/** What clients hear of. An event is a durable fact with its place in the feed; a signal is of the moment. */
import { Schema } from "effect"
import { Input, InputId } from "./input.ts"
import { Message, MessageId, Part, PartId } from "./message.ts"
import { Ledger, Monitor, MonitorId } from "./monitor.ts"
import { Answer, Ask, AskId } from "./permission.ts"
import { Session, SessionId } from "./session.ts"
import { Shell, ShellId } from "./shell.ts"
import { Turn } from "./turn.ts"

const event = <Type extends string, Data extends Schema.Constraint>(
  identifier: string,
  type: Type,
  data: Data
) =>
  Schema.Struct({
    seq: Schema.Int,
    id: Schema.String,
    type: Schema.Literal(type),
    sessionID: Schema.optionalKey(SessionId),
    created: Schema.Int,
    data
  }).annotate({ identifier })

const session = Schema.Struct({ session: Session })
const turn = Schema.Struct({ turn: Turn })
const message = Schema.Struct({ message: Message })
const part = Schema.Struct({ part: Part })
const monitor = Schema.Struct({ monitor: Monitor })
const shell = Schema.Struct({ shell: Shell })

export const Event = Schema.Union([
  event("SessionCreated", "session.created", session),
  event("SessionUpdated", "session.updated", session),
  event("SessionDeleted", "session.deleted", Schema.Struct({ sessionID: SessionId })),
  event("MessageCreated", "message.created", message),
  event("MessageUpdated", "message.updated", message),
  event("MessageCompleted", "message.completed", message),
  event("PartCreated", "part.created", part),
  event("PartCompleted", "part.completed", part),
  event("TurnStarted", "turn.started", turn),
  event("TurnEnded", "turn.ended", turn),
  event("InboxAdmitted", "inbox.admitted", Schema.Struct({ input: Input })),
  event("InboxPromoted", "inbox.promoted", Schema.Struct({ inputIDs: Schema.Array(InputId) })),
  event("InboxWithdrawn", "inbox.withdrawn", Schema.Struct({ inputIDs: Schema.Array(InputId) })),
  event("MonitorStarted", "monitor.started", monitor),
  event("MonitorUpdated", "monitor.updated", monitor),
  event("MonitorEnded", "monitor.ended", monitor),
  event(
    "MonitorLines",
    "monitor.event",
    Schema.Struct({
      monitorID: MonitorId,
      seq: Schema.Int,
      lines: Schema.Array(Schema.String),
      ledger: Ledger
    })
  ),
  event("MonitorRemoved", "monitor.removed", Schema.Struct({ monitorID: MonitorId })),
  event("ShellStarted", "shell.started", shell),
  event("ShellUpdated", "shell.updated", shell),
  event("ShellEnded", "shell.ended", shell),
  event("ShellRemoved", "shell.removed", Schema.Struct({ shellID: ShellId })),
  event("PermissionAsked", "permission.asked", Schema.Struct({ ask: Ask })),
  event("PermissionReplied", "permission.replied", Schema.Struct({ askID: AskId, answer: Answer }))
]).annotate({ identifier: "Event" })
export type Event = typeof Event.Type
export type EventType = Event["type"]

/** An event that has not been stored yet: the log gives it its place, id and time. */
export type EventDraft = Event extends infer E
  ? E extends Event
    ? Omit<E, "seq" | "id" | "created">
    : never
  : never

/** Text of a part that streams; `offset` counts UTF-16 units from the part's beginning. Not kept. */
export const MessageDelta = Schema.Struct({
  type: Schema.Literal("message.delta"),
  sessionID: SessionId,
  messageID: MessageId,
  partID: PartId,
  offset: Schema.Int,
  text: Schema.String
}).annotate({ identifier: "MessageDelta" })
export interface MessageDelta extends Schema.Schema.Type<typeof MessageDelta> {}
