/** What OpenAI's chat completions, and the servers that speak the same, refuse. Pure. */
import { type Fields, fields, isFields, list, refuse, text } from "./wire.ts"

const toolName = /^[a-zA-Z0-9_-]{1,64}$/u
const roles = ["system", "developer", "user", "assistant", "tool"]

/** Throws `Refused` for the first fault found. */
export const checkOpenAI = (body: Fields): void => {
  if (text(body.model) === "") refuse("you must provide a model parameter")
  if (body.stream !== true) refuse("This simulation only answers with a stream.", { param: "stream" })
  if (!Array.isArray(body.messages)) {
    refuse("Missing required parameter: 'messages'.", {
      param: "messages",
      code: "missing_required_parameter"
    })
  }
  const messages = list(body.messages).map(fields)
  if (messages.length === 0) {
    refuse(
      "Invalid 'messages': empty array. Expected an array with minimum length 1, but got an empty array instead.",
      {
        param: "messages",
        code: "empty_array"
      }
    )
  }
  checkTools(body.tools)
  const ids = new Set<string>()
  messages.forEach((message, at) => checkMessage(message, at, ids))
  checkResults(messages)
  const last = messages.at(-1)!.role
  if (last !== "user" && last !== "tool") {
    refuse("Expected the last message to have role 'user' or 'tool'.", {
      param: `messages.[${messages.length - 1}].role`
    })
  }
}

/** The text of a message's content, which is a string or text parts. */
export const contentText = (content: unknown): string =>
  typeof content === "string"
    ? content
    : list(content)
        .map((part) => text(fields(part).text))
        .join("\n")

const checkTools = (tools: unknown) => {
  if (Array.isArray(tools) && tools.length === 0) {
    refuse("Invalid 'tools': empty array.", { param: "tools", code: "empty_array" })
  }
  const names = new Set<string>()
  list(tools)
    .map(fields)
    .forEach((tool, at) => {
      const declared = fields(tool.function)
      const name = text(declared.name)
      if (tool.type !== "function") refuse(`Missing required parameter: 'tools[${at}].type'.`)
      if (!toolName.test(name)) {
        refuse(`Invalid 'tools[${at}].function.name': expected a string that matches ^[a-zA-Z0-9_-]{1,64}$.`)
      }
      if (names.has(name)) refuse(`Invalid 'tools': the name '${name}' is not unique.`)
      names.add(name)
      if (declared.parameters !== undefined && fields(declared.parameters).type !== "object") {
        refuse(`Invalid schema for function '${name}': schema must be of 'type: "object"'.`, {
          code: "invalid_function_parameters"
        })
      }
    })
}

const checkMessage = (message: Fields, at: number, ids: Set<string>) => {
  const { role, content } = message
  if (!roles.includes(text(role))) {
    refuse(
      `Invalid value: '${text(role)}'. Supported values are: ${roles.map((name) => `'${name}'`).join(", ")}.`,
      {
        param: `messages[${at}].role`
      }
    )
  }
  const calls = list(message.tool_calls)
  const where = { param: `messages.[${at}].content` }
  if (role === "assistant" && Array.isArray(message.tool_calls) && calls.length === 0) {
    refuse(`Invalid 'messages[${at}].tool_calls': empty array.`, { code: "empty_array" })
  }
  if (content === null || content === undefined) {
    if (role !== "assistant" || calls.length === 0) {
      refuse("Invalid value for 'content': expected a string, got null.", where)
    }
  } else if (typeof content !== "string" && !Array.isArray(content)) {
    refuse("Invalid type for 'content': expected a string or an array.", where)
  } else if (role !== "tool" && calls.length === 0 && contentText(content).trim() === "") {
    refuse("Invalid value for 'content': expected a non-empty string.", where)
  }
  list(content).forEach((part) => {
    if (fields(part).type === "text" && text(fields(part).text) === "") {
      refuse("Invalid value for 'content': text parts must be non-empty.", where)
    }
  })
  calls.map(fields).forEach((call, index) => checkCall(call, `messages[${at}].tool_calls[${index}]`, ids))
}

const checkCall = (call: Fields, where: string, ids: Set<string>) => {
  const asked = fields(call.function)
  const id = text(call.id)
  if (id === "") refuse(`Missing required parameter: '${where}.id'.`)
  if (ids.has(id)) refuse(`Invalid '${where}.id': '${id}' stands for an earlier call.`)
  ids.add(id)
  if (text(asked.name) === "") refuse(`Missing required parameter: '${where}.function.name'.`)
  // OpenAI takes any string; servers that hand the arguments to a chat template take objects only.
  if (!isFields(parsed(asked.arguments))) {
    refuse(`Invalid '${where}.function.arguments': expected the JSON of an object.`)
  }
}

/** Tool messages stand directly behind their calls: one for each, and none for anything else. */
const checkResults = (messages: ReadonlyArray<Fields>) => {
  let open = new Set<string>()
  const closed = (at: number) => {
    if (open.size === 0) return
    refuse(
      `An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: ${[...open].join(", ")}`,
      { param: `messages.[${at}].role` }
    )
  }
  messages.forEach((message, at) => {
    if (message.role === "tool") {
      if (open.delete(text(message.tool_call_id))) return
      refuse(
        "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.",
        { param: `messages.[${at}].role` }
      )
    }
    closed(at)
    open = new Set(list(message.tool_calls).map((call) => text(fields(call).id)))
  })
  closed(messages.length)
}

const parsed = (json: unknown): unknown => {
  try {
    return JSON.parse(text(json))
  } catch {
    return undefined
  }
}
