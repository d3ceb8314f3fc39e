/** What clients hear of. An event is a durable fact with its place in the feed; a signal is of the moment. */
import { Schema } from "effect"
import { about } from "./about.ts"
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
  data: Data,
  description: string
) =>
  Schema.Struct({
    seq: about("Its place in the feed: it grows, is never used again, and may leave gaps", Schema.Int),
    id: about("Of the event itself", Schema.String),
    type: Schema.Literal(type),
    sessionID: about("The session that it is about", Schema.optionalKey(SessionId)),
    created: about("When it happened", Schema.Int),
    data
  }).annotate({ identifier, description })

const session = Schema.Struct({ session: Session })
const turn = Schema.Struct({ turn: Turn })
const message = Schema.Struct({ message: Message })
const part = Schema.Struct({ part: Part })
const monitor = Schema.Struct({ monitor: Monitor })
const shell = Schema.Struct({ shell: Shell })
const inputs = Schema.Struct({ inputIDs: Schema.Array(InputId) })

export const Event = Schema.Union([
  event("SessionCreated", "session.created", session, "A session was created."),
  event("SessionUpdated", "session.updated", session, "A session changed: its title, its model, its rules."),
  event(
    "SessionDeleted",
    "session.deleted",
    Schema.Struct({ sessionID: SessionId }),
    "A session was deleted, with all that was kept of it."
  ),
  event("MessageCreated", "message.created", message, "A message was read, or the agent begins one."),
  event("MessageUpdated", "message.updated", message, "A message changed on its way."),
  event("MessageCompleted", "message.completed", message, "A message is as it will stay."),
  event("PartCreated", "part.created", part, "A part begins: its text follows as `message.delta`."),
  event("PartCompleted", "part.completed", part, "A part is as it will stay."),
  event("TurnStarted", "turn.started", turn, "The agent begins to work."),
  event("TurnEnded", "turn.ended", turn, "The agent has ended its turn, and how."),
  event(
    "InboxAdmitted",
    "inbox.admitted",
    Schema.Struct({ input: Input }),
    "The session was told something that it has not read yet."
  ),
  event("InboxPromoted", "inbox.promoted", inputs, "Inputs were read: they are messages now."),
  event("InboxWithdrawn", "inbox.withdrawn", inputs, "Inputs were taken back before they were read."),
  event("MonitorStarted", "monitor.started", monitor, "A monitor was started."),
  event("MonitorUpdated", "monitor.updated", monitor, "What is told of a monitor changed."),
  event("MonitorEnded", "monitor.ended", monitor, "A monitor ended, once and for good."),
  event(
    "MonitorLines",
    "monitor.event",
    Schema.Struct({
      monitorID: MonitorId,
      seq: about("Which of the monitor's events it is, from 1", Schema.Int),
      lines: about("What the session is told", Schema.Array(Schema.String)),
      ledger: about("With these lines in it", Ledger)
    }),
    "A monitor's command printed lines, which the session is told."
  ),
  event(
    "MonitorRemoved",
    "monitor.removed",
    Schema.Struct({ monitorID: MonitorId }),
    "A monitor that ended is no longer kept."
  ),
  event("ShellStarted", "shell.started", shell, "A shell command was started."),
  event("ShellUpdated", "shell.updated", shell, "What is told of a shell changed."),
  event("ShellEnded", "shell.ended", shell, "A shell ended, once and for good."),
  event(
    "ShellRemoved",
    "shell.removed",
    Schema.Struct({ shellID: ShellId }),
    "A shell that ended is no longer kept."
  ),
  event("PermissionAsked", "permission.asked", Schema.Struct({ ask: Ask }), "A question waits for a person."),
  event(
    "PermissionReplied",
    "permission.replied",
    Schema.Struct({ askID: AskId, answer: Answer }),
    "A question was answered, or withdrawn."
  )
]).annotate({
  identifier: "Event",
  description: "A durable fact with its place in the feed. `type` tells which it is."
})
export type Event = typeof Event.Type
export type EventType = Event["type"]

/** An event that has not been stored yet: the log gives it its place, id and time. */
export type EventDraft = Event extends infer E
  ? E extends Event
    ? Omit<E, "seq" | "id" | "created">
    : never
  : never

export const MessageDelta = Schema.Struct({
  type: Schema.Literal("message.delta"),
  sessionID: SessionId,
  messageID: MessageId,
  partID: PartId,
  offset: about("Where it begins in the part, in UTF-16 units", Schema.Int),
  text: about("What is new", Schema.String)
}).annotate({
  identifier: "MessageDelta",
  description: "Text of a part that streams. It has no place in the feed and is not kept."
})
export interface MessageDelta extends Schema.Schema.Type<typeof MessageDelta> {}
