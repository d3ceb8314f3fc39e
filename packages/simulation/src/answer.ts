/** A scripted reply as a stream of server-sent events. */
import { estimateTokens, inputTokens, type Transcript } from "./conversation.ts"
import type { Drop, Fail, ReplyPart, Spent } from "./script.ts"
import type { AnswerEvent, BlockStart, Refusal, Tokens, WireFormat } from "./wire.ts"

/** How an answer ended: `hung up` by the client, `dropped` or `failed` as the script wanted. */
export type Outcome = "finished" | "failed" | "dropped" | "hung up" | "refused"

export interface Answer {
  readonly stream: ReadableStream<Uint8Array>
  readonly outcome: Promise<Outcome>
}

export const failure = (part: Fail): Refusal => ({
  status: part.status,
  message: part.message ?? `The script fails with ${part.status}.`,
  ...(part.kind !== undefined && { kind: part.kind }),
  ...(part.code !== undefined && { code: part.code })
})

export const answer = (
  parts: ReadonlyArray<ReplyPart>,
  options: {
    readonly format: WireFormat
    readonly transcript: Transcript
    readonly body: unknown
    /** Aborted when the server stops. */
    readonly signal: AbortSignal
  }
): Answer => {
  const { promise: outcome, resolve } = Promise.withResolvers<Outcome>()
  const gone = new AbortController()
  const signal = AbortSignal.any([gone.signal, options.signal])
  const write = options.format.writer(options.body, options.transcript)
  const steps = play(parts, options.transcript, options.format.callID)
  const bytes = new TextEncoder()
  const stream = new ReadableStream<Uint8Array>(
    {
      // One event a pull, so that each is on its way before what follows it happens.
      async pull(body) {
        for (;;) {
          const step = steps.next()
          if (gone.signal.aborted) return
          if (step.done === true || signal.aborted) {
            body.close()
            return resolve(step.done === true ? "finished" : "dropped")
          }
          const { value } = step
          if (value.type === "hold") await Promise.race([value.until(signal), aborted(signal)])
          else if (value.type === "drop") {
            // What was said leaves with the event loop's next rounds.
            await new Promise((next) => setTimeout(next, 10))
            if (gone.signal.aborted) return
            if (value.how === "reset") body.error()
            else body.close()
            return resolve("dropped")
          } else {
            const written = write(value)
            if (written !== "") body.enqueue(bytes.encode(written))
            if (value.type === "error") {
              body.close()
              return resolve("failed")
            }
            if (written !== "") return
          }
        }
      },
      cancel() {
        gone.abort()
        resolve("hung up")
      }
    },
    { highWaterMark: 0 }
  )
  return { stream, outcome }
}

type Step = AnswerEvent | Drop | Extract<ReplyPart, { type: "hold" }>

/** The reply's events in order; a drop that counts fragments stands between them. */
function* play(
  parts: ReadonlyArray<ReplyPart>,
  transcript: Transcript,
  callID: () => string
): Generator<Step, void> {
  const tokens = reckon(parts, transcript)
  const counted = parts.find((part) => part.type === "drop" && part.after !== undefined) as Drop | undefined
  let reason: Extract<AnswerEvent, { type: "end" }>["reason"] = "stop"
  let sent = 0
  yield { type: "start", tokens }
  for (const part of parts) {
    switch (part.type) {
      case "say":
      case "think":
      case "call": {
        yield { type: "block-start", block: blockOf(part, callID) }
        for (const text of part.fragments) {
          if (counted?.after === sent) yield counted
          yield { type: "fragment", text }
          sent++
        }
        if (part.type === "call" && reason === "stop") reason = "calls"
        if (counted?.after === sent) yield counted
        yield { type: "block-end" }
        break
      }
      case "hold":
        yield part
        break
      case "drop":
        if (part.after === undefined) yield part
        break
      case "fail":
        yield { type: "error", refusal: failure(part) }
        break
      case "stop":
        reason = part.reason
        break
      case "usage":
        break
    }
  }
  if (counted) yield counted
  yield { type: "end", reason, tokens }
}

const blockOf = (part: ReplyPart, callID: () => string): BlockStart =>
  part.type === "call"
    ? { type: "call", id: part.id ?? callID(), name: part.name }
    : { type: part.type === "think" ? "reasoning" : "text" }

const reckon = (parts: ReadonlyArray<ReplyPart>, transcript: Transcript): Tokens => {
  const set: Spent = Object.assign({}, ...parts.filter((part) => part.type === "usage"))
  const said = parts.flatMap((part) => ("fragments" in part ? part.fragments : [])).join("")
  return {
    input: set.input ?? inputTokens(transcript),
    output: set.output ?? Math.max(1, estimateTokens(said)),
    cacheRead: set.cacheRead ?? 0,
    cacheWrite: set.cacheWrite ?? 0
  }
}

export const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener("abort", () => resolve(), { once: true })
  })
