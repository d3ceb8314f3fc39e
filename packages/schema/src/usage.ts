/** What a model request took. */
import { Schema } from "effect"
import { about } from "./about.ts"

export const Usage = Schema.Struct({
  inputTokens: about("What was sent, the cached part included", Schema.Int),
  outputTokens: about("What was answered, reasoning included", Schema.Int),
  cacheReadTokens: about("What the provider had in its cache", Schema.Int)
}).annotate({ identifier: "Usage", description: "Tokens, of one model request or of several." })
export interface Usage extends Schema.Schema.Type<typeof Usage> {}

export const noUsage: Usage = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0 }

export const addUsage = (a: Usage, b: Usage): Usage => ({
  inputTokens: a.inputTokens + b.inputTokens,
  outputTokens: a.outputTokens + b.outputTokens,
  cacheReadTokens: a.cacheReadTokens + b.cacheReadTokens
})

/** In whole tokens as even as can be; together they are what is shared. */
export const shareUsage = (usage: Usage, among: number): ReadonlyArray<Usage> =>
  Array.from({ length: among }, (_, index) => {
    const share = (tokens: number) => Math.floor(tokens / among) + (index < tokens % among ? 1 : 0)
    return {
      inputTokens: share(usage.inputTokens),
      outputTokens: share(usage.outputTokens),
      cacheReadTokens: share(usage.cacheReadTokens)
    }
  })
