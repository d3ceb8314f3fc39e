/** What a plugin is given: plain functions over the services, which end with it. */
import type { AfterCall, AfterResult, BeforeCall } from "@vigil/plugin/hook"
import type { Answer, Host } from "@vigil/plugin/plugin"
import { Delivery } from "@vigil/schema/input"
import { SessionId } from "@vigil/schema/session"
import { Effect, FiberSet, Schema, type Scope } from "effect"
import { Coordinator } from "../coordinator.ts"
import { Database } from "../database.ts"
import { type AfterAnswer, type BeforeAnswer, type HeardCall, Hooks } from "../hook.ts"
import { Inbox } from "../inbox.ts"
import { toLine } from "../monitor/clean.ts"
import { Tools } from "../tool.ts"
import { forModel } from "../tools/output.ts"
import { foreignWithin, messageOf } from "../hook/foreign.ts"
import type { Guest } from "./guest.ts"
import { transformOf } from "./tools.ts"

const maxEventBytes = 16_384
const maxLogBytes = 4_096
/** Events of one plugin that wait in one session. */
const maxWaiting = 16

const SyntheticEvent = Schema.Struct({
  text: Schema.String.check(Schema.isNonEmpty({ expected: "some text" })),
  description: Schema.optional(Schema.String),
  delivery: Schema.optional(Delivery),
  wakes: Schema.optional(Schema.Boolean)
})
const decodeEvent = Schema.decodeUnknownEffect(SyntheticEvent, { errors: "all", onExcessProperty: "error" })

/** An event was not admitted. */
class NotAdmitted extends Schema.TaggedError<NotAdmitted>()("NotAdmitted", { message: Schema.String }) {}

/** Makes the host of a plugin. */
export const hosting = Effect.gen(function* () {
  const tools = yield* Tools
  const hooks = yield* Hooks
  const coordinator = yield* Coordinator
  const inbox = yield* Inbox
  const { transaction } = yield* Database

  return Effect.fnUntraced(function* (guest: Guest): Effect.fn.Return<Host, never, Scope.Scope> {
    const run = yield* FiberSet.makeRuntimePromise<never, void, NotAdmitted>()
    const sourceID = `plugin_${guest.name}`

    const synthetic = Effect.fn("Plugin.synthetic")(
      function* (sessionID: string, event: unknown) {
        const { text, description, delivery, wakes } = yield* decodeEvent(event)
        const waiting = (yield* inbox.pending(sessionID)).filter(
          ({ payload }) => "source" in payload && payload.source.id === sourceID
        )
        if (waiting.length >= maxWaiting)
          return yield* new NotAdmitted({ message: `${maxWaiting} events of this plugin wait there already` })
        yield* coordinator.synthetic(SessionId.make(sessionID), {
          origin: "plugin",
          payload: {
            type: "remark",
            source: { id: sourceID, description: description?.trim() || guest.name },
            text: clipped(text, maxEventBytes)
          },
          ...(delivery !== undefined && { delivery }),
          ...(wakes !== undefined && { wakes })
        })
      },
      (effect) => transaction(effect),
      Effect.mapError(({ message }) => new NotAdmitted({ message }))
    )

    const on = (event: unknown, handler: (heard: never) => Answer<unknown>): (() => void) => {
      if (typeof handler !== "function") throw new TypeError("A handler is a function")
      switch (event) {
        case "tool.before":
          return guest.register(
            hooks.onBefore({
              by: guest.name,
              hear: hearing(guest, event, handler as (heard: BeforeCall) => unknown, beforeAnswer)
            })
          )
        case "tool.after":
          return guest.register(
            hooks.onAfter({
              by: guest.name,
              hear: hearing(guest, event, handler as (heard: AfterCall) => unknown, afterAnswer)
            })
          )
        default:
          throw new TypeError(`There is no event ${String(event)}; there are tool.before and tool.after`)
      }
    }

    return {
      trial: false,
      tools: {
        transform: (edit) => {
          if (typeof edit !== "function") throw new TypeError("A transform is a function")
          return guest.register(tools.transform(transformOf(guest, edit)))
        }
      },
      session: {
        synthetic: (sessionID, event) => {
          if (!guest.here()) return Promise.reject(new Error(`The plugin ${guest.name} was unloaded`))
          const admitted = run(synthetic(sessionID, event))
          // One that nobody waits for is told, and fails alone.
          admitted.catch((error: Error) =>
            guest.problem(`Its event for ${sessionID} was refused: ${error.message}`)
          )
          return admitted
        }
      },
      on,
      signal: guest.signal,
      log: (message: unknown) => {
        const text = typeof message === "string" ? message : messageOf(message)
        guest.fork(Effect.logInfo(clipped(text, maxLogBytes)))
      }
    }
  })
})

/** A handler that throws, hangs or answers nonsense has said nothing, and that is told. */
const hearing =
  <Heard, Told, Said>(
    guest: Guest,
    event: string,
    handler: (told: Told) => unknown,
    read: (answer: object) => Said
  ) =>
  (heard: Heard & HeardCall): Effect.Effect<Said | undefined> =>
    foreignWithin(guest.limits.hookMs, async () => {
      const answer = await handler(toldOf(heard) as Told)
      if (answer === undefined || answer === null) return undefined
      if (typeof answer !== "object") throw new TypeError("it answered with something that is no object")
      return read(answer)
    }).pipe(
      Effect.catch(({ message }) =>
        Effect.sync(() => guest.problem(`Its handler of ${event} counts as silent: ${message}`))
      ),
      Effect.raceFirst(Effect.as(guest.gone, undefined)),
      Effect.map((answer) => answer ?? undefined)
    )

const toldOf = ({ session, input, ...call }: HeardCall) => ({
  ...call,
  input: structuredClone(input),
  sessionID: session.id,
  directory: session.directory
})

const beforeAnswer = (answer: Partial<Record<"deny" | "input", unknown>>): BeforeAnswer => {
  if (typeof answer.deny === "string") return { deny: forModel(answer.deny) || "it gave no reason" }
  if (answer.deny !== undefined) throw new TypeError("it denied with a reason that is no text")
  // A copy that is JSON, as what a model sends is.
  if ("input" in answer) return { input: JSON.parse(JSON.stringify(answer.input)) as unknown }
  throw new TypeError("it answered with neither deny nor input")
}

const afterAnswer = ({ output }: Partial<AfterResult>): AfterAnswer => {
  if (typeof output !== "string") throw new TypeError("it answered with an output that is no text")
  return { output: forModel(output) }
}

/** Cut between characters, and says how much. */
const clipped = (text: string, maxBytes: number) => toLine(text, Buffer.byteLength(text), maxBytes, 0).text
