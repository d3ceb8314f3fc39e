/** What every provider asks of a prompt, and what a model reads in it. */
import type { LanguageModelV4Message, LanguageModelV4Prompt } from "@ai-sdk/provider"

/** A sentence for each thing that some provider would refuse. */
export const promptFaults = (prompt: LanguageModelV4Prompt): ReadonlyArray<string> => {
  const faults: Array<string> = []
  const seen = new Set<string>()
  if (prompt[0]?.role !== "system") faults.push("it does not begin with the system prompt")
  if (prompt[1]?.role !== "user") faults.push("the conversation does not begin with the user's role")
  if (prompt.at(-1)?.role !== "user") faults.push("it does not end with the user's role")
  prompt.forEach((message, at) => {
    const next = prompt[at + 1]
    if (message.role === "user" && next?.role === "user") faults.push(`${at}: neighbours are not one message`)
    if (message.role !== "system" && message.content.length === 0) faults.push(`${at}: empty`)
    if (textsOf(message).some((text) => text.trim() === "")) faults.push(`${at}: empty text`)
    const calls = callsOf(message)
    for (const id of calls) {
      if (seen.has(id)) faults.push(`${at}: ${id} is called twice`)
      seen.add(id)
    }
    const results = next === undefined ? [] : resultsOf(next)
    if (calls.join() !== results.join())
      faults.push(`${at}: calls ${calls.join()}, results ${results.join()}`)
  })
  return faults
}

const callsOf = (message: LanguageModelV4Message): ReadonlyArray<string> =>
  message.role === "assistant"
    ? message.content.flatMap((part) => (part.type === "tool-call" ? [part.toolCallId] : []))
    : []

const resultsOf = (message: LanguageModelV4Message): ReadonlyArray<string> =>
  message.role === "tool"
    ? message.content.flatMap((part) => (part.type === "tool-result" ? [part.toolCallId] : []))
    : []

/** Its texts, and its results' texts. */
export const textsOf = (message: LanguageModelV4Message): ReadonlyArray<string> =>
  message.role === "system"
    ? [message.content]
    : message.content.flatMap((part) => {
        if (part.type === "text") return [part.text]
        if (part.type !== "tool-result") return []
        return "value" in part.output && typeof part.output.value === "string" ? [part.output.value] : []
      })

/** Everything but the system prompt, a part a line. */
export const promptText = (prompt: LanguageModelV4Prompt): string =>
  prompt.slice(1).flatMap(textsOf).join("\n")
