/**
 * What an agent may do: rules decide, and what they leave open waits for a person.
 *
 * An ask is stored in the transaction that tells of it, and gone in the one that tells of its answer. Whoever
 * waits is answered once that has committed.
 */
import { createHash } from "node:crypto"
import type { EventDraft } from "@vigil/schema/event-manifest"
import { newId } from "@vigil/schema/id"
import {
  type Answer,
  Ask,
  AskAnswered,
  AskId,
  AskNotFound,
  PermissionDenied,
  type Reply,
  type Rule,
  SavedAllow,
  type Subject
} from "@vigil/schema/permission"
import { type Session, SessionId } from "@vigil/schema/session"
import { hiddenCharacter } from "@vigil/schema/text"
import { Clock, Context, Deferred, Effect, Layer, Option, Schema } from "effect"
import { Bus } from "./bus.ts"
import { Settings } from "./config.ts"
import { Database } from "./database.ts"
import { Kv } from "./kv.ts"
import { allowFlag, defaultRules, evaluate, isSaved } from "./permission/rule.ts"

/** A person rejected it and said no more: the turn ends. */
export class TurnRejected extends Schema.TaggedError<TurnRejected>()("TurnRejected", {
  message: Schema.String
}) {}

export interface PermissionRequest {
  readonly session: Session
  readonly tool: string
  readonly callID?: string
  /** What is to be done, whole. */
  readonly title: string
  readonly subjects: ReadonlyArray<Subject>
  /** The user does it: nobody is asked, but what is denied stays denied. */
  readonly byUser?: boolean
}

/** Answers that are known again, in memory. */
const maxAnswers = 1_000
/** Answers kept for one directory. */
export const maxSaved = 1_000

export class Permissions extends Context.Service<
  Permissions,
  {
    /** Succeeds once everything asked for is allowed. Interruption withdraws the ask. */
    require(request: PermissionRequest): Effect.Effect<void, PermissionDenied | TurnRejected>
    /** What waits for a person, oldest first. */
    pending(sessionID?: string): Effect.Effect<ReadonlyArray<Ask>>
    /** The same answer again is a success. */
    reply(askID: string, reply: Reply): Effect.Effect<void, AskNotFound | AskAnswered>
    /** Ends a session's asks without an answer: it was interrupted, or is being deleted. */
    withdraw(sessionID: string): Effect.Effect<void>
    /** Ends asks of a server that is gone, which nobody waits for any more. */
    readonly withdrawStale: Effect.Effect<void>
    /** What was answered with "always" in a directory. */
    saved(directory: string): Effect.Effect<ReadonlyArray<SavedAllow>>
    /** Takes one such answer back, or all of a directory's. */
    forget(directory: string, allow?: SavedAllow): Effect.Effect<void>
  }
>()("core/Permissions") {
  static readonly layer = Layer.effect(
    Permissions,
    Effect.gen(function* () {
      const settings = yield* Settings
      const database = yield* Database
      const kv = yield* Kv
      const bus = yield* Bus
      const waiting = new Map<AskId, Waiting>()
      const answers = newest<Answer>(maxAnswers)

      const require = Effect.fn("Permissions.require")(function* (request: PermissionRequest) {
        const open = yield* judge(request)
        if (open.length === 0) return
        const { session } = request
        const ask: Ask = {
          id: AskId.make(newId("ask")),
          sessionID: session.id,
          tool: request.tool,
          ...(request.callID === undefined ? {} : { callID: request.callID }),
          title: request.title,
          subjects: open,
          createdAt: yield* Clock.currentTimeMillis
        }
        const answered = yield* Deferred.make<void, PermissionDenied | TurnRejected>()
        yield* Effect.uninterruptibleMask((restore) =>
          Effect.gen(function* () {
            const waits = yield* database.transaction(put(ask, session.directory, answered))
            if (waits)
              yield* restore(Deferred.await(answered)).pipe(Effect.onInterrupt(() => end(ask, "withdrawn")))
          })
        )
      })

      /** What must be asked for; fails where a rule denies, or where nobody can be asked. */
      const judge = Effect.fnUntraced(function* ({ session, title, subjects, byUser }: PermissionRequest) {
        if ([title, ...subjects.map(({ value }) => value)].some((text) => hiddenCharacter.test(text))) {
          return yield* denied(
            subjects,
            "This has control or bidirectional characters, which a person would not see. Write it without them."
          )
        }
        const config = yield* settings
          .for(session.directory)
          .pipe(
            Effect.catchTag("ConfigInvalid", ({ message }) =>
              denied(subjects, `The settings can't be read, so nothing is permitted.\n${message}`)
            )
          )
        const rules = [...defaultRules, ...config.permission, ...session.rules]
        const decided = subjects.map((subject) => ({ subject, ...evaluate(rules, subject) }))
        const against = decided.filter(({ effect }) => effect === "deny")
        if (against.length > 0) {
          return yield* denied(
            against.map(({ subject }) => subject),
            [
              ...against.map(
                ({ subject, rule }) =>
                  `Denied by the rule ${described(rule)}: ${subject.action} ${subject.value}`
              ),
              "Do it another way, or tell the user that this rule stands against it."
            ].join("\n")
          )
        }
        const asked = decided.filter(({ effect }) => effect === "ask").map(({ subject }) => subject)
        if (asked.length === 0 || byUser) return []
        const open = uncovered(yield* saved(session.directory), asked)
        if (open.length > 0 && session.unattended) {
          return yield* denied(
            open,
            `This needs permission, and nobody is there to be asked. It would be allowed by: ${[...new Set(open.map(allowFlag))].join(" ")}`
          )
        }
        return open
      })

      /** Stores an ask and tells of it, unless an answer that came meanwhile covers it. */
      const put = Effect.fnUntraced(function* (ask: Ask, directory: string, answered: Waiting["answered"]) {
        if (uncovered(yield* saved(directory), ask.subjects).length === 0) return false
        yield* kv.set(askKey(ask), encodeAsk(ask))
        // Before it is told: an answer may follow at once.
        yield* database.afterCommit(Effect.sync(() => waiting.set(ask.id, { ask, directory, answered })))
        yield* bus.publish({
          type: "permission.asked",
          sessionID: SessionId.make(ask.sessionID),
          data: { ask }
        })
        return true
      })

      /** Removes an ask and tells of its answer; `result` goes to who waits. False if it has ended already. */
      const end = (ask: Ask, answer: Answer, result: Result = withdrawn) =>
        database.transaction(
          Effect.gen(function* () {
            if (Option.isNone(yield* kv.get(askKey(ask)))) return false
            yield* kv.remove(askKey(ask))
            yield* bus.publish(replied(ask, answer))
            // Known as soon as it is committed. Where it is undone the ask still waits, and nobody looks here.
            answers.set(ask.id, answer)
            yield* database.afterCommit(
              Effect.suspend(() => {
                const waits = waiting.get(ask.id)
                waiting.delete(ask.id)
                return waits ? Effect.asVoid(Deferred.complete(waits.answered, result)) : Effect.void
              })
            )
            return true
          })
        )

      const reply = Effect.fn("Permissions.reply")(function* (askID: string, reply: Reply) {
        yield* database.transaction(
          Effect.gen(function* () {
            const ask = (yield* pending()).find(({ id }) => id === askID)
            if (!ask) return yield* again(askID, reply)
            if (reply.reply === "reject") return yield* reject(ask, reply.reason?.trim())
            yield* end(ask, reply.reply, Effect.void)
            const directory = waiting.get(ask.id)?.directory
            if (reply.reply === "always" && directory !== undefined) yield* remember(directory, ask.subjects)
          })
        )
      })

      const again = Effect.fnUntraced(function* (askID: string, { reply }: Reply) {
        const answer = answers.get(askID)
        if (answer === undefined) return yield* new AskNotFound({ askID })
        if (answer !== reply) return yield* new AskAnswered({ askID, answer })
      })

      const reject = Effect.fnUntraced(function* (ask: Ask, reason: string | undefined) {
        if (reason) {
          const message = `The user rejected this and said: ${reason}`
          return yield* Effect.asVoid(end(ask, "reject", denied(ask.subjects, message)))
        }
        const result = Effect.fail(new TurnRejected({ message: "The user rejected this" }))
        yield* end(ask, "reject", result)
        for (const other of yield* pending(ask.sessionID)) yield* end(other, "withdrawn", result)
      })

      /** Saves what was allowed for good, and lets go on who asked for no more than that. */
      const remember = Effect.fnUntraced(function* (directory: string, subjects: ReadonlyArray<Subject>) {
        const added = subjects.map(({ action, pattern }) => ({ action, pattern }))
        const before = (yield* saved(directory)).filter((old) => !added.some((allow) => same(allow, old)))
        const allows = [...before, ...added]
        if (allows.length > maxSaved) {
          yield* Effect.logWarning(`Only the newest ${maxSaved} saved permissions are kept`, { directory })
        }
        yield* save(directory, allows.slice(-maxSaved))
        for (const { ask } of [...waiting.values()].filter((waits) => waits.directory === directory)) {
          if (uncovered(allows, ask.subjects).length === 0) yield* end(ask, "always", Effect.void)
        }
      })

      const pending = Effect.fn("Permissions.pending")(function* (sessionID?: string) {
        const asks: Array<Ask> = []
        for (const { key, value } of yield* kv.scan(sessionID === undefined ? "ask/" : `ask/${sessionID}/`)) {
          const ask = decodeAsk(value)
          if (Option.isSome(ask)) asks.push(ask.value)
          else yield* Effect.logWarning("A stored ask can't be read", { key })
        }
        return asks.toSorted((a, b) => a.createdAt - b.createdAt)
      })

      const withdraw = Effect.fn("Permissions.withdraw")(function* (sessionID: string) {
        yield* database.transaction(
          Effect.gen(function* () {
            for (const ask of yield* pending(sessionID)) yield* end(ask, "withdrawn")
          })
        )
      })

      const withdrawStale = Effect.gen(function* () {
        for (const { key, value } of yield* kv.scan("ask/")) {
          const ask = decodeAsk(value)
          if (Option.isSome(ask)) {
            if (!waiting.has(ask.value.id)) yield* end(ask.value, "withdrawn")
          } else yield* setAside(key, value)
        }
      })

      const setAside = (key: string, value: Schema.Json) =>
        Effect.logWarning("A stored ask can't be read; it is set aside", { key }).pipe(
          Effect.andThen(kv.set(`aside/${key}`, value)),
          Effect.andThen(kv.remove(key)),
          database.transaction
        )

      const saved = Effect.fn("Permissions.saved")(function* (directory: string) {
        const stored = yield* kv.get(savedKey(directory))
        if (Option.isNone(stored)) return []
        const record = decodeSaved(stored.value)
        if (Option.isSome(record)) return record.value.allows
        // What can't be read allows nothing.
        yield* Effect.logWarning("Saved permissions can't be read; they do not count", { directory })
        return []
      })

      const save = (directory: string, allows: ReadonlyArray<SavedAllow>) =>
        kv.set(savedKey(directory), {
          directory,
          allows: allows.map(({ action, pattern }) => ({ action, pattern }))
        })

      const forget = Effect.fn("Permissions.forget")(function* (directory: string, allow?: SavedAllow) {
        if (allow === undefined) return yield* kv.remove(savedKey(directory))
        yield* database.transaction(
          Effect.gen(function* () {
            yield* save(
              directory,
              (yield* saved(directory)).filter((old) => !same(old, allow))
            )
          })
        )
      })

      return Permissions.of({ require, pending, reply, withdraw, withdrawStale, saved, forget })
    })
  )
}

type Result = Effect.Effect<void, PermissionDenied | TurnRejected>

interface Waiting {
  readonly ask: Ask
  readonly directory: string
  readonly answered: Deferred.Deferred<void, PermissionDenied | TurnRejected>
}

/** A map that forgets what was set longest ago. */
const newest = <A>(max: number) => {
  const kept = new Map<string, A>()
  return {
    get: (key: string) => kept.get(key),
    set: (key: string, value: A) => {
      kept.set(key, value)
      if (kept.size > max) kept.delete(kept.keys().next().value!)
    }
  }
}

const withdrawn: Result = Effect.fail(new TurnRejected({ message: "The question was withdrawn" }))

const denied = (subjects: ReadonlyArray<Subject>, message: string) =>
  Effect.fail(new PermissionDenied({ subjects, message }))

const uncovered = (saved: ReadonlyArray<SavedAllow>, subjects: ReadonlyArray<Subject>) =>
  subjects.filter((subject) => !isSaved(saved, subject))

const same = (a: SavedAllow, b: SavedAllow) => a.action === b.action && a.pattern === b.pattern

const described = (rule: Rule | undefined) =>
  rule ? `${rule.effect} ${rule.action} '${rule.pattern}'` : "deny"

const replied = (ask: Ask, answer: Answer): EventDraft => ({
  type: "permission.replied",
  sessionID: SessionId.make(ask.sessionID),
  data: { askID: ask.id, answer }
})

const askKey = (ask: Ask) => `ask/${ask.sessionID}/${ask.id}`
const savedKey = (directory: string) =>
  `permission/${createHash("sha256").update(directory).digest("hex").slice(0, 32)}`

const SavedRecord = Schema.Struct({
  directory: Schema.String,
  allows: Schema.Array(SavedAllow)
})
const decodeSaved = Schema.decodeUnknownOption(SavedRecord)
const decodeAsk = Schema.decodeUnknownOption(Ask)
const encodeAsk = Schema.encodeSync(Schema.toCodecJson(Ask))
