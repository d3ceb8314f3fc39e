/** What the Anthropic Messages API refuses. Pure. */
import { type Fields, fields, isFields, list, refuse, text } from "./wire.ts"

const maxCacheMarks = 4
const toolName = /^[a-zA-Z0-9_-]{1,128}$/u

/** Throws `Refused` for the first fault found. `signed` tells whether a thinking text has this signature. */
export const checkAnthropic = (
  body: Fields,
  signed: (thinking: string, signature: string) => boolean
): void => {
  if (text(body.model) === "") refuse("model: Field required")
  if (body.max_tokens === undefined) refuse("max_tokens: Field required")
  if (!Number.isInteger(body.max_tokens) || Number(body.max_tokens) < 1) {
    refuse("max_tokens: Input should be greater than or equal to 1")
  }
  if (body.stream !== true) refuse("stream: this simulation only answers with a stream")
  if (!Array.isArray(body.messages)) refuse("messages: Field required")
  const messages = list(body.messages).map(fields)
  if (messages.length === 0) refuse("messages: at least one message is required")
  checkSystem(body.system)
  checkTools(body.tools)
  const ids = new Set<string>()
  messages.forEach((message, at) => checkMessage(message, at, ids, signed))
  if (messages[0]!.role !== "user") refuse('messages: first message must use the "user" role')
  messages.forEach((message, at) => checkResults(message, messages[at + 1], messages[at - 1], at))
  if (messages.at(-1)!.role !== "user") {
    refuse(
      "This model does not support assistant message prefill. The conversation must end with a user message."
    )
  }
  const marks = cacheMarks([body.tools, body.system, body.messages])
  if (marks > maxCacheMarks) {
    refuse(`A maximum of ${maxCacheMarks} blocks with cache_control may be provided. Found ${marks}.`)
  }
}

/** A message's blocks; a string is one text block. */
export const blocksOf = (content: unknown): ReadonlyArray<Fields> =>
  typeof content === "string" ? [{ type: "text", text: content }] : list(content).map(fields)

const checkSystem = (system: unknown) => {
  if (system === undefined || typeof system === "string") return
  if (!Array.isArray(system)) refuse("system: Input should be a valid list")
  list(system)
    .map(fields)
    .forEach((block, at) => {
      if (block.type !== "text") refuse(`system.${at}.type: Input should be 'text'`)
      checkText(block, "system", `system.${at}`)
    })
}

const checkTools = (tools: unknown) => {
  const names = new Set<string>()
  list(tools)
    .map(fields)
    .forEach((tool, at) => {
      const name = text(tool.name)
      if (!toolName.test(name)) {
        refuse(`tools.${at}.custom.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'`)
      }
      if (names.has(name)) refuse("tools: Tool names must be unique.")
      names.add(name)
      if (!isFields(tool.input_schema)) refuse(`tools.${at}.custom.input_schema: Field required`)
      if (fields(tool.input_schema).type !== "object") {
        refuse(`tools.${at}.custom.input_schema.type: Input should be 'object'`)
      }
    })
}

const checkText = (block: Fields, where: string, at: string) => {
  if (typeof block.text !== "string") refuse(`${at}.text: Field required`)
  if (block.text === "") refuse(`${where}: text content blocks must be non-empty`)
  if (text(block.text).trim() === "") {
    refuse(`${where}: text content blocks must contain non-whitespace text`)
  }
}

const checkMessage = (
  message: Fields,
  at: number,
  ids: Set<string>,
  signed: (thinking: string, signature: string) => boolean
) => {
  const { role } = message
  if (role !== "user" && role !== "assistant") {
    refuse(`messages.${at}.role: Input should be 'user' or 'assistant'`)
  }
  if (typeof message.content !== "string" && !Array.isArray(message.content)) {
    refuse(`messages.${at}.content: Field required`)
  }
  const blocks = blocksOf(message.content)
  if (message.content === "" || blocks.length === 0) {
    refuse(
      `messages.${at}: all messages must have non-empty content except for the optional final assistant message`
    )
  }
  blocks.forEach((block, index) => {
    const here = `messages.${at}.content.${index}`
    const only = (side: "user" | "assistant") => {
      if (role !== side)
        refuse(`messages.${at}: \`${text(block.type)}\` blocks can only be in \`${side}\` messages`)
    }
    switch (block.type) {
      case "text":
        return checkText(block, "messages", here)
      case "thinking": {
        only("assistant")
        if (typeof block.thinking !== "string") refuse(`${here}.thinking.thinking: Field required`)
        if (typeof block.signature !== "string") refuse(`${here}.thinking.signature: Field required`)
        if (!signed(text(block.thinking), text(block.signature))) {
          refuse(`${here}: Invalid \`signature\` in \`thinking\` block`)
        }
        return
      }
      case "redacted_thinking":
        only("assistant")
        if (text(block.data) === "") refuse(`${here}.redacted_thinking.data: Field required`)
        return
      case "tool_use": {
        only("assistant")
        const id = text(block.id)
        if (id === "") refuse(`${here}.tool_use.id: Field required`)
        if (text(block.name) === "") refuse(`${here}.tool_use.name: Field required`)
        if (!isFields(block.input)) refuse(`${here}.tool_use.input: Input should be a valid dictionary`)
        if (ids.has(id)) refuse("messages: `tool_use` ids must be unique")
        ids.add(id)
        return
      }
      case "tool_result":
        only("user")
        if (text(block.tool_use_id) === "") refuse(`${here}.tool_result.tool_use_id: Field required`)
        blocksOf(block.content).forEach((inner) => {
          if (inner.type === "text" && typeof block.content !== "string") checkText(inner, "messages", here)
        })
        return
      case "image":
      case "document":
        return only("user")
      default:
        refuse(
          `${here}: Input tag '${text(block.type)}' found using 'type' does not match any of the expected tags`
        )
    }
  })
}

/** Results stand first in the message behind their calls: one for each, and none for anything else. */
const checkResults = (
  message: Fields,
  next: Fields | undefined,
  previous: Fields | undefined,
  at: number
) => {
  const calls = callIds(message)
  if (calls.length > 0) {
    const answered = new Set(leadingResults(next))
    const missing = calls.filter((id) => !answered.has(id))
    if (missing.length > 0) {
      refuse(
        `messages.${at}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${missing.join(", ")}. Each \`tool_use\` block must have a corresponding \`tool_result\` block in the next message.`
      )
    }
  }
  if (message.role !== "user") return
  const known = new Set(callIds(previous))
  const seen = new Set<string>()
  blocksOf(message.content).forEach((block, index) => {
    if (block.type !== "tool_result") return
    const id = text(block.tool_use_id)
    if (!known.has(id)) {
      refuse(
        `messages.${at}.content.${index}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${id}. Each \`tool_result\` block must have a corresponding \`tool_use\` block in the previous message.`
      )
    }
    if (seen.has(id)) {
      refuse(
        `messages.${at}.content.${index}: each tool_use must have a single result. Found multiple \`tool_result\` blocks with id: ${id}`
      )
    }
    seen.add(id)
  })
}

const callIds = (message: Fields | undefined): ReadonlyArray<string> =>
  message?.role === "assistant"
    ? blocksOf(message.content).flatMap((block) => (block.type === "tool_use" ? [text(block.id)] : []))
    : []

const leadingResults = (message: Fields | undefined): ReadonlyArray<string> => {
  if (message?.role !== "user") return []
  const blocks = blocksOf(message.content)
  const end = blocks.findIndex((block) => block.type !== "tool_result")
  return (end === -1 ? blocks : blocks.slice(0, end)).map((block) => text(block.tool_use_id))
}

const cacheMarks = (value: unknown): number => {
  if (Array.isArray(value)) return value.reduce<number>((sum, inner) => sum + cacheMarks(inner), 0)
  if (!isFields(value)) return 0
  // A tool's schema and a call's input are the caller's own data.
  const inner = Object.entries(value).filter(([key]) => key !== "input_schema" && key !== "input")
  const own = isFields(value.cache_control) ? 1 : 0
  return own + cacheMarks(inner.filter(([key]) => key !== "cache_control").map(([, field]) => field))
}
