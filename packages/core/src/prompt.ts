/**
 * What a model is told: the system prompt, the conversation, and the hidden context.
 *
 * A request is valid for every provider: each tool call has exactly one result directly behind its message,
 * events stand behind all results, no text is empty, and what comes last is the user's or a tool's. What
 * changes from request to request stands behind the cache mark, so that all before it stays cached.
 */
import type {
  LanguageModelV4Message,
  LanguageModelV4Prompt,
  LanguageModelV4TextPart,
  SharedV4ProviderOptions
} from "@ai-sdk/provider"
import type { MessageWithParts, ToolPart } from "@vigil/schema/message"
import type { Monitor } from "@vigil/schema/monitor"
import type { Ask } from "@vigil/schema/permission"
import type { EventsHeld } from "@vigil/schema/session"
import type { Shell } from "@vigil/schema/shell"
import { neutralDescription, payloadText } from "./monitor/notice.ts"
import { summaryText } from "./prompt/summary.ts"

/** What a request tells of the moment. It is rendered for each request and never stored. */
export interface HiddenContext {
  /** Epoch milliseconds. */
  readonly now: number
  readonly monitors: ReadonlyArray<Monitor>
  readonly shells: ReadonlyArray<Shell>
  readonly asks: ReadonlyArray<Ask>
  /** Why events had to wait for the prompt that is read now. */
  readonly held?: EventsHeld
}

export interface PromptInput {
  readonly system: string
  readonly messages: ReadonlyArray<MessageWithParts>
  readonly context: HiddenContext
  /** `provider/model`: reasoning goes back only to whom it came from. */
  readonly model: string
}

export const renderPrompt = ({ system, messages, context, model }: PromptInput): LanguageModelV4Prompt =>
  assemblePrompt({ system, rendered: messages.flatMap(messageRenderer(model)), context })

export interface AssembleInput extends Pick<PromptInput, "system" | "context"> {
  /** Each message as one renderer makes it, in their order. */
  readonly rendered: ReadonlyArray<LanguageModelV4Message>
}

export const assemblePrompt = ({ system, rendered, context }: AssembleInput): LanguageModelV4Prompt => [
  { role: "system", content: system, ...cacheMark },
  ...withContext(joined(rendered), context)
]

const cacheMark = { providerOptions: { anthropic: { cacheControl: { type: "ephemeral" } } } }

/** Renders the messages of one request, in their order, each by itself; neighbours are joined later. */
export const messageRenderer = (model: string) => {
  const names = callNames()
  return (message: MessageWithParts) => renderMessage(message, model, names)
}

const renderMessage = (
  { message, parts }: MessageWithParts,
  model: string,
  names: CallNames
): Array<LanguageModelV4Message> => {
  switch (message.role) {
    case "user":
      // Left out it could leave an answer as the beginning.
      return [user(message.payload.text.trim() === "" ? "(an empty message)" : message.payload.text)]
    case "event":
      return [user(payloadText(message.payload))]
    case "summary":
      return [user(summaryText(message.text))]
    case "assistant":
      // What broke off was said again by the next try.
      return message.status === "failed" ? [] : renderStep(parts, message.model === model, names)
  }
}

const user = (text: string): LanguageModelV4Message => ({ role: "user", content: [{ type: "text", text }] })

const renderStep = (
  parts: MessageWithParts["parts"],
  own: boolean,
  names: CallNames
): Array<LanguageModelV4Message> => {
  const calls = parts
    .filter((part) => part.type === "tool")
    .map((part) => ({ part, named: names(part, own) }))
  const namedBy = new Map(calls.map(({ part, named }) => [part.id, named]))
  const content = parts.flatMap((part): AssistantContent => {
    const options = own && part.metadata !== undefined ? { providerOptions: part.metadata as never } : {}
    switch (part.type) {
      case "text":
        return part.text.trim() === "" ? [] : [{ type: "text", text: part.text, ...options }]
      case "reasoning":
        return own && part.complete ? [{ type: "reasoning", text: part.text, ...options }] : []
      case "tool":
        return [
          {
            type: "tool-call",
            ...namedBy.get(part.id)!,
            input: parsed(part.input),
            ...options
          }
        ]
    }
  })
  // Reasoning alone is no answer, and some providers refuse it.
  if (content.every(({ type }) => type === "reasoning")) return []
  if (calls.length === 0) return [{ role: "assistant", content }]
  return [
    { role: "assistant", content },
    { role: "tool", content: calls.map(({ part, named }) => renderResult(part, named)) }
  ]
}

type AssistantContent = Extract<LanguageModelV4Message, { role: "assistant" }>["content"]

const renderResult = (part: ToolPart, named: CallName) => ({
  type: "tool-result" as const,
  ...named,
  output: {
    type: part.status === "completed" ? ("text" as const) : ("error-text" as const),
    value: part.output?.trim() ? part.output : "(no output)"
  }
})

interface CallName {
  readonly toolCallId: string
  readonly toolName: string
}

type CallNames = (part: ToolPart, own: boolean) => CallName

/**
 * Models repeat ids and call tools that can't be, and a provider that refuses one such call would refuse every later
 * request of the session. A provider's own ids go back as they came: some keep a meaning in them.
 */
const callNames = (): CallNames => {
  const used = new Set<string>()
  return (part, own) => {
    const usable = own ? part.callID.trim() !== "" : /^[\w-]{1,40}$/u.test(part.callID)
    const toolCallId = usable && !used.has(part.callID) ? part.callID : part.id
    used.add(toolCallId)
    return { toolCallId, toolName: part.name.replace(/[^\w-]/gu, "_").slice(0, 64) || "_" }
  }
}

/** A model that wrote no JSON object was told so in the result; the call still has to be one. */
const parsed = (input: string): unknown => {
  try {
    const value: unknown = JSON.parse(input)
    return typeof value === "object" && value !== null ? value : {}
  } catch {
    return {}
  }
}

/** Neighbours of the user's role are one message. */
const joined = (messages: ReadonlyArray<LanguageModelV4Message>): Array<LanguageModelV4Message> => {
  const all: Array<LanguageModelV4Message> = []
  for (const next of messages) {
    const last = all.at(-1)
    if (last?.role === "user" && next.role === "user") {
      all[all.length - 1] = { ...last, content: [...last.content, ...next.content] }
    } else all.push(next)
  }
  return all
}

const withContext = (
  messages: Array<LanguageModelV4Message>,
  context: HiddenContext
): LanguageModelV4Prompt => {
  const hidden: LanguageModelV4TextPart = { type: "text", text: contextText(context) }
  const last = messages.at(-1)
  const before = messages.slice(0, -1)
  switch (last?.role) {
    case "user":
      return [...before, { ...last, content: [...markLast(last.content), hidden] }]
    case "tool":
      return [...before, { ...last, content: markLast(last.content) }, { role: "user", content: [hidden] }]
    case "assistant":
      return [...before, { ...last, content: markLast(last.content) }, { role: "user", content: [hidden] }]
    default:
      return [...messages, { role: "user", content: [hidden] }]
  }
}

/** Reasoning takes no mark. */
const markLast = <Part extends Markable>(content: ReadonlyArray<Part>): Array<Part> => {
  const last = content.findLastIndex(({ type }) => type !== "reasoning")
  return content.map((part, index) => (index === last ? marked(part) : part))
}

interface Markable {
  readonly type: string
  readonly providerOptions?: SharedV4ProviderOptions
}

/** What the provider wants back with the part stays. */
const marked = <Part extends Markable>(part: Part): Part => ({
  ...part,
  providerOptions: {
    ...part.providerOptions,
    anthropic: { ...part.providerOptions?.["anthropic"], ...cacheMark.providerOptions.anthropic }
  }
})

export const contextText = ({ now, monitors, shells, asks, held }: HiddenContext): string =>
  [
    "<vigil-context>",
    `Time: ${new Date(now).toISOString()}`,
    ...(held ? [`Events waited for the user's prompt: ${whyHeld[held]}.`] : []),
    ...list(
      "Active monitors",
      monitors.map((monitor) => `${monitor.id} '${neutralDescription(monitor.description)}'`)
    ),
    ...list(
      "Active background shells",
      shells.map((shell) => `${shell.id} '${neutralDescription(shell.command)}'`)
    ),
    ...list(
      "Waiting for the user's permission",
      asks.map((ask) => `'${neutralDescription(ask.title)}'`)
    ),
    "</vigil-context>"
  ].join("\n")

const whyHeld = {
  budget: "they had been read too often without one",
  failure: "the turn before it had failed"
}

const list = (title: string, items: ReadonlyArray<string>) =>
  items.length === 0 ? [] : [`${title}:`, ...items.map((item) => `- ${item}`)]
