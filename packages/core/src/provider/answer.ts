/** What provider code streams, as the parts of a step. */
import type {
  LanguageModelV4StreamPart,
  LanguageModelV4ToolCall,
  LanguageModelV4Usage,
  SharedV4ProviderMetadata
} from "@ai-sdk/provider"
import type { Usage } from "@vigil/schema/usage"
import type { Schema } from "effect"
import type { StepPart } from "./step.ts"

/** The answer ended, but not as an answer ends. */
export interface BrokenOff {
  readonly type: "broken-off"
  readonly why: string
}

/** Open, but not told of before it says something: servers like to begin with an empty text. */
interface Block {
  readonly begun: string | undefined
  readonly metadata: SharedV4ProviderMetadata | undefined
}

/**
 * Reads one answer, part by part.
 *
 * An answer that breaks off within a call is told as that half of a call and then as an error, so calls are
 * kept back until the step has ended well. Provider code may use an id again for a later block; here it is new.
 */
export const answerReader = () => {
  const open = new Map<string, Block>()
  const calls: Array<LanguageModelV4ToolCall> = []
  let blocks = 0
  let finished = false
  let callIsLast = false

  const begin = (kind: Kind): readonly [id: string, told: ReadonlyArray<StepPart>] => {
    const id = String(blocks++)
    return [id, [{ type: `${kind}-start`, id }]]
  }
  const start = (kind: Kind, part: BlockPart): ReadonlyArray<StepPart> => {
    callIsLast = false
    open.set(kind + part.id, { begun: undefined, metadata: part.providerMetadata })
    return []
  }
  const grow = (kind: Kind, part: BlockPart & { readonly delta: string }): ReadonlyArray<StepPart> => {
    const block = open.get(kind + part.id)
    if (block === undefined) return []
    const metadata = merged(block.metadata, part.providerMetadata)
    if (part.delta === "") {
      open.set(kind + part.id, { ...block, metadata })
      return []
    }
    const [id, told] = block.begun === undefined ? begin(kind) : [block.begun, []]
    open.set(kind + part.id, { begun: id, metadata })
    return [...told, { type: kind, id, text: part.delta }]
  }
  const end = (kind: Kind, part: BlockPart): ReadonlyArray<StepPart> => {
    const block = open.get(kind + part.id)
    if (block === undefined) return []
    open.delete(kind + part.id)
    const metadata = merged(block.metadata, part.providerMetadata)
    if (block.begun === undefined && metadata === undefined) return []
    const [id, told] = block.begun === undefined ? begin(kind) : [block.begun, []]
    return [...told, { type: `${kind}-end`, id, ...(metadata && { metadata: metadata as Schema.Json }) }]
  }

  const read = (part: LanguageModelV4StreamPart): ReadonlyArray<StepPart | BrokenOff> => {
    if (finished) return []
    switch (part.type) {
      case "text-start":
        return start("text", part)
      case "text-delta":
        return grow("text", part)
      case "text-end":
        return end("text", part)
      case "reasoning-start":
        return start("reasoning", part)
      case "reasoning-delta":
        return grow("reasoning", part)
      case "reasoning-end":
        return end("reasoning", part)
      case "tool-input-start":
        callIsLast = true
        return []
      case "tool-call":
        if (part.providerExecuted !== true) calls.push(part)
        return []
      case "finish": {
        const { unified, raw } = part.finishReason
        if (unified === "interrupted") return [{ type: "broken-off", why: "it ended before it was complete" }]
        if (unified === "error")
          return [{ type: "broken-off", why: `it ended in an error (${raw ?? "none named"})` }]
        finished = true
        return [...told(unified), { type: "finish", reason: unified, usage: usageOf(part.usage) }]
      }
      default:
        return []
    }
  }

  // A call that the bound on tokens cut may still look whole; one that a filter stopped may be any.
  const told = (reason: string): ReadonlyArray<StepPart> => {
    if (reason === "content-filter") return []
    const whole = reason === "length" && callIsLast ? calls.slice(0, -1) : calls
    return whole.map((call) => ({
      type: "tool-call",
      callID: call.toolCallId,
      name: call.toolName,
      input: call.input,
      ...(call.providerMetadata && { metadata: call.providerMetadata as Schema.Json })
    }))
  }

  return { read, finished: () => finished }
}

type Kind = "text" | "reasoning"

interface BlockPart {
  readonly id: string
  readonly providerMetadata?: SharedV4ProviderMetadata
}

/** A signature comes in a part of its own, behind what it signs. */
const merged = (
  before: SharedV4ProviderMetadata | undefined,
  more: SharedV4ProviderMetadata | undefined
): SharedV4ProviderMetadata | undefined => {
  if (before === undefined || more === undefined) return more ?? before
  const names = new Set([...Object.keys(before), ...Object.keys(more)])
  return Object.fromEntries([...names].map((name) => [name, { ...before[name], ...more[name] }]))
}

const usageOf = ({ inputTokens, outputTokens }: LanguageModelV4Usage): Usage => ({
  inputTokens: count(inputTokens.total),
  outputTokens: count(outputTokens.total),
  cacheReadTokens: count(inputTokens.cacheRead)
})

const count = (tokens: number | undefined) => Math.max(0, Math.round(tokens ?? 0))
