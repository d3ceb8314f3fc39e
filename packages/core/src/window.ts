/**
 * A conversation that has become too long for its model.
 *
 * Before each request its size is estimated. Past 80 % of the window, or where the provider finds it too long, a
 * part of it is summarised by a request of its own, and the summary stands for that part to the model from then on.
 * It is one message, stored in one transaction: whoever stops in the middle has done nothing. If no summary can be
 * had, or is not enough, the oldest outputs of tools are left out, and the turn says so.
 *
 * Both last, so that requests begin alike until the next time.
 */
import type { LanguageModelV4Message, LanguageModelV4Prompt } from "@ai-sdk/provider"
import { newId } from "@vigil/schema/id"
import { MessageId, type MessageWithParts, type SummaryMessage } from "@vigil/schema/message"
import type { Session, SessionNotFound } from "@vigil/schema/session"
import type { TurnId } from "@vigil/schema/turn"
import { noUsage, type Usage } from "@vigil/schema/usage"
import { Clock, Context, Effect, Layer, Option, Stream } from "effect"
import { Settings } from "./config.ts"
import { Database } from "./database.ts"
import { Kv } from "./kv.ts"
import { clip } from "./monitor/clean.ts"
import { defang } from "./monitor/defang.ts"
import { assemblePrompt, contextText, type HiddenContext, messageRenderer } from "./prompt.ts"
import { summaryPrompt } from "./prompt/summary.ts"
import { type ModelDescription, Provider } from "./provider.ts"
import { retried, StepFailed } from "./provider/retry.ts"
import type { ContextTooLong, ToolSpec } from "./provider/step.ts"
import { Sessions } from "./session.ts"
import { calibration, messageTokens, textTokens, toolTokens } from "./window/estimate.ts"
import { savedTokens, withoutOutputs } from "./window/outputs.ts"
import {
  firstUnread,
  fullShare,
  planLeavingOut,
  planSummary,
  type Sized,
  summaryTokens,
  targetShare
} from "./window/plan.ts"
import { transcriptText } from "./window/transcript.ts"

/** So often what a provider finds too long is summarised; once more, and outputs are left out. */
export const maxSummaries = 2

/** So many requests of a session go without a summary after one that could not be made. */
export const restAfterFailure = 10

/** Sessions of which that is known. */
const maxFailed = 1_000

/** The place up to which outputs are left out: `outputs/<sessionID>`. */
const outputsKey = (sessionID: string) => `outputs/${sessionID}`

export interface Fitting {
  readonly session: Session
  readonly turnID: TurnId
  /** `provider/model` */
  readonly model: string
  readonly system: string
  readonly tools: ReadonlyArray<ToolSpec>
  readonly context: HiddenContext
  /** How often the provider found this step's request too long. */
  readonly tooLong: number
}

export interface Fitted {
  readonly prompt: LanguageModelV4Prompt
  /** Of the summary that was made, if one was. */
  readonly usage: Usage
  /** What a person should know of. */
  readonly remark?: string
}

export class Window extends Context.Service<
  Window,
  {
    /** What the model is sent next. Interrupting it leaves everything as it was. */
    fit(fitting: Fitting): Effect.Effect<Fitted, SessionNotFound>
  }
>()("core/Window") {
  static readonly layer = Layer.effect(
    Window,
    Effect.gen(function* () {
      const { transaction } = yield* Database
      const kv = yield* Kv
      const settings = yield* Settings
      const atStart = yield* settings.user
      const provider = yield* Provider
      const sessions = yield* Sessions
      const failed = new Map<string, FailedSummary>()

      const fit = Effect.fn("Window.fit")(function* (fitting: Fitting) {
        const { session, tooLong } = fitting
        const window = yield* windowOf(fitting)
        let whole = yield* sessions.conversation(session.id)
        let sent = yield* asSent(session, whole)
        let size = measure(fitting, sent)
        // Too long for the provider: the estimate is all that is known, so that the window must be smaller than that.
        const bound = tooLong > 0 ? Math.min(window, size.tokens) : window
        let usage = noUsage
        let failure: string | undefined

        if (size.tokens > fullShare * bound && tooLong <= maxSummaries) {
          const made = resting(fitting) ?? (yield* summarise(fitting, whole, size, bound))
          if (typeof made === "string") failure = made
          else if (made) {
            usage = made.usage
            whole = yield* sessions.conversation(session.id)
            sent = yield* asSent(session, whole)
            size = measure(fitting, sent, size.ratio)
          }
        }
        let remark: string | undefined
        if (size.tokens > fullShare * bound && (yield* leaveOut(session, sent, size, bound, tooLong))) {
          size = measure(fitting, yield* asSent(session, whole), size.ratio)
          remark = leftOutRemark(failure)
        }
        const prompt = assemblePrompt({
          system: fitting.system,
          rendered: size.rendered,
          context: fitting.context
        })
        return { prompt, usage, ...(remark !== undefined && { remark }) }
      }, Effect.uninterruptible)

      /** Why the last summary failed, where another one is not worth its time yet. */
      const resting = ({ session, model, tooLong }: Fitting) => {
        const last = failed.get(session.id)
        if (last === undefined || last.model !== model || tooLong > 0) return undefined
        if (--last.requests === 0) failed.delete(session.id)
        return last.why
      }

      // A model that can't be asked says so itself, when it is.
      const windowOf = ({ model, session }: Fitting) =>
        provider
          .describe(model, session.directory)
          .pipe(Effect.match({ onFailure: () => Infinity, onSuccess: promptWindow }))

      const asSent = Effect.fnUntraced(function* (session: Session, whole: ReadonlyArray<MessageWithParts>) {
        const through = Option.getOrElse(yield* kv.get(outputsKey(session.id)), () => 0)
        return withoutOutputs(whole, typeof through === "number" ? through : 0)
      })

      /** Undefined where there is nothing to summarise, a text where it failed and why. */
      const summarise = Effect.fnUntraced(function* (
        fitting: Fitting,
        whole: ReadonlyArray<MessageWithParts>,
        { sized, fixed, ratio }: Size,
        bound: number
      ) {
        const { session, turnID, model, tooLong } = fitting
        const most = summaryTokens(bound)
        const plan = planSummary(sized, {
          unread: firstUnread(whole),
          room: Math.max(0, (targetShare * bound - most) / ratio - fixed),
          least: tooLong > 0 ? 0 : most / ratio
        })
        if (plan === undefined) return undefined
        const { through, keeps, summarised } = plan
        const answer = yield* Effect.result(
          ask(
            fitting,
            summarised.map((index) => whole[index]!),
            { most, room: (fullShare * bound - most) / ratio }
          )
        )
        if (answer._tag === "Failure") {
          const why = answer.failure.message
          yield* Effect.logWarning(`The conversation could not be summarised: ${why}`)
          if (failed.size >= maxFailed) failed.delete(failed.keys().next().value!)
          failed.set(session.id, { model, why, requests: restAfterFailure })
          return why
        }
        failed.delete(session.id)
        const { text, usage } = answer.success
        const summary: SummaryMessage = {
          id: MessageId.make(newId("msg")),
          sessionID: session.id,
          turnID,
          createdAt: yield* Clock.currentTimeMillis,
          role: "summary",
          // Made of data that is not to be trusted. Twice as long as was asked for is too long.
          text: clip(defang(text), 8 * most),
          through,
          ...(keeps !== undefined && { keeps }),
          model,
          usage
        }
        yield* transaction(Effect.andThen(sessions.get(session.id), sessions.say(summary)))
        return summary
      })

      /** Asks for a summary, of less where even that is too long. */
      const ask = Effect.fnUntraced(function* (
        { session, model }: Fitting,
        messages: ReadonlyArray<MessageWithParts>,
        { most, room }: { readonly most: number; readonly room: number }
      ): Effect.fn.Return<Said, StepFailed | ContextTooLong> {
        const { retry } = yield* Effect.orElseSucceed(settings.for(session.directory), () => atStart)
        const maxWords = Math.round(0.7 * most)
        const around = messageTokens(summaryPrompt({ transcript: "", maxWords }))
        const attempt = (maxBytes: number) => {
          const prompt = summaryPrompt({ transcript: transcriptText(messages, maxBytes), maxWords })
          return retried(listen(provider.step({ model, prompt, tools: [] }, session.directory)), retry).pipe(
            Effect.filterOrFail(
              ({ text }) => text !== "",
              () => new StepFailed({ message: "It came back empty." })
            )
          )
        }
        const maxBytes = Math.max(2_000, 4 * (room - around))
        return yield* attempt(maxBytes).pipe(
          Effect.catchTag("ContextTooLong", () => attempt(Math.max(1_000, maxBytes / 2))),
          Effect.catchTag("ContextTooLong", () => attempt(Math.max(500, maxBytes / 4)))
        )
      })

      const leaveOut = Effect.fnUntraced(function* (
        session: Session,
        sent: ReadonlyArray<MessageWithParts>,
        { sized, tokens, ratio }: Size,
        bound: number,
        tooLong: number
      ) {
        const through = planLeavingOut(sized, {
          unread: firstUnread(sent),
          over: (tokens - targetShare * bound) / ratio,
          // What the model has not read yet goes only where it could not be sent at all.
          mustOver: (tokens - (tooLong > 0 ? fullShare : 1) * bound) / ratio
        })
        if (through === undefined) return false
        yield* transaction(kv.set(outputsKey(session.id), through))
        return true
      })

      yield* sessions.onRemove({
        within: (sessionID) => kv.remove(outputsKey(sessionID)),
        after: (sessionID) => Effect.sync(() => failed.delete(sessionID))
      })
      return Window.of({ fit })
    })
  )
}

interface FailedSummary {
  readonly model: string
  readonly why: string
  /** That still go without one. */
  requests: number
}

/** A window whose 80 % leave the answer the room that was configured for it, though no more than half. */
const promptWindow = ({ contextWindow, maxOutputTokens = 0 }: ModelDescription) =>
  Math.min(contextWindow, Math.max(contextWindow / 2, contextWindow - maxOutputTokens) / fullShare)

interface Said {
  readonly text: string
  readonly usage: Usage
}

/** The text of one answer. It can be interrupted. */
const listen = Effect.fnUntraced(function* (step: ReturnType<Provider["Service"]["step"]>) {
  let text = ""
  let usage = noUsage
  yield* step.pipe(
    Stream.runForEach((part) =>
      Effect.sync(() => {
        if (part.type === "text") text += part.text
        if (part.type === "finish") usage = part.usage
      })
    ),
    Effect.interruptible
  )
  return { text: text.trim(), usage }
})

/** What a request takes, estimated. */
interface Size {
  readonly rendered: ReadonlyArray<LanguageModelV4Message>
  readonly sized: ReadonlyArray<Sized>
  /** Of what is no message of the conversation. */
  readonly fixed: number
  /** By how much estimates are to be multiplied. Only `tokens` is already. */
  readonly ratio: number
  readonly tokens: number
}

const measure = (
  { system, tools, context, model }: Fitting,
  sent: ReadonlyArray<MessageWithParts>,
  known?: number
): Size => {
  const fixed = textTokens(system) + textTokens(contextText(context)) + toolTokens(tools)
  const rendered = sent.map(messageRenderer(model))
  const sized = sent.map(({ seq, message, parts }, index): Sized => ({
    seq,
    role: message.role,
    tokens: messageTokens(rendered[index]!),
    outputTokens: parts.reduce((sum, part) => sum + savedTokens(part), 0)
  }))
  const sum = (until: number) => sized.slice(0, until).reduce((sum, { tokens }) => sum + tokens, fixed)
  const counted = lastCounted(sent, model)
  const ratio = known ?? (counted ? calibration(counted.tokens, sum(counted.index)) : 1)
  return { rendered: rendered.flat(), sized, fixed, ratio, tokens: ratio * sum(sized.length) }
}

/** The last step that read what is still sent as it was then. */
const lastCounted = (sent: ReadonlyArray<MessageWithParts>, model: string) => {
  const summary = sent.find(({ message }) => message.role === "summary")?.seq ?? 0
  const index = sent.findLastIndex(
    ({ seq, message }) =>
      seq > summary && message.role === "assistant" && message.usage !== undefined && message.model === model
  )
  const message = sent[index]?.message
  return message?.role === "assistant" && message.usage
    ? { index, tokens: message.usage.inputTokens }
    : undefined
}

const leftOutRemark = (failure: string | undefined) =>
  failure === undefined
    ? "The conversation was too long for the model, so the oldest outputs of tools were left out."
    : `The conversation was too long for the model and could not be summarised, so the oldest outputs of tools were left out. (${failure})`
