/** What is known of models by their names. */

/** Tokens of a model that no family below claims. */
export const defaultContextWindow = 128_000

/** As their providers document them; the first that matches counts. Smaller is safe: it only summarises sooner. */
const windows: ReadonlyArray<readonly [name: RegExp, tokens: number]> = [
  [/claude/iu, 200_000],
  [/gemini|learnlm/iu, 1_048_576],
  [/gpt-4\.1/iu, 1_047_576],
  [/gpt-5.*chat/iu, 128_000],
  [/gpt-5/iu, 400_000],
  [/gpt-4o|gpt-4-turbo/iu, 128_000],
  [/gpt-4/iu, 8_192],
  [/gpt-3\.5/iu, 16_385],
  [/(^|\/)o[134](-|$)/iu, 200_000],
  [/gpt-oss|deepseek|llama-?3\.[1-3]|qwen-?3|mistral-large|glm-4|kimi|grok/iu, 128_000]
]

/** In tokens, prompt and answer together. */
export const contextWindow = (model: string): number =>
  windows.find(([name]) => name.test(model))?.[1] ?? defaultContextWindow

/** What is left of a window behind the longest prompt, of which Window takes care. */
const answerShare = 0.2

/**
 * Bound of an answer where none is asked for, in tokens. The Anthropic format requires one, and provider code
 * allows a model that it does not know 4,096, which cuts whole files in two.
 */
export const maxOutputTokens = (model: string, format: string, window: number): number | undefined =>
  format === "anthropic" && !/claude/iu.test(model)
    ? Math.min(16_384, Math.floor(window * answerShare))
    : undefined
