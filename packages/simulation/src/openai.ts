/** OpenAI's chat completions format, streaming, with the `reasoning_content` of compatible servers. */
import { mergeTurns, type Transcript, type Turn } from "./conversation.ts"
import { checkOpenAI, contentText } from "./openai-rules.ts"
import {
  type AnswerEvent,
  type Fields,
  fields,
  list,
  randomId,
  type Refusal,
  type Tokens,
  text,
  type WireFormat
} from "./wire.ts"

export const openai: WireFormat = {
  key: (headers) => headers.get("authorization")?.replace(/^Bearer /u, "") ?? undefined,
  refuseKey: (given) =>
    given === undefined
      ? { status: 401, message: "You didn't provide an API key.", code: "" }
      : { status: 401, message: "Incorrect API key provided." },
  refuseModel: (model) => ({
    status: 404,
    message: `The model \`${model}\` does not exist or you do not have access to it.`
  }),
  refuseLength: (tokens, window) => ({
    status: 400,
    message: `This model's maximum context length is ${window} tokens. However, your messages resulted in ${tokens} tokens. Please reduce the length of the messages.`,
    code: "context_length_exceeded",
    param: "messages"
  }),
  read: (body) => {
    const request = fields(body)
    checkOpenAI(request)
    return transcript(request)
  },
  errorBody: (refusal) => ({ error: errorOf(refusal) }),
  headers: (requestID) => ({ "x-request-id": requestID }),
  callID: () => randomId("call_"),
  writer: (body, { model }) => writer(model, fields(fields(body).stream_options).include_usage === true),
  models: (ids) => ({
    object: "list",
    data: ids.map((id) => ({ id, object: "model", created: 1_767_225_600, owned_by: "simulation" }))
  })
}

const errorOf = ({ status, message, kind, code, param }: Refusal) => {
  const [type, named] = errorType(status)
  return { message, type: kind ?? type, param: param ?? null, code: (code ?? named) || null }
}

const errorType = (status: number): readonly [type: string, code?: string] => {
  switch (status) {
    case 401:
      return ["invalid_request_error", "invalid_api_key"]
    case 404:
      return ["invalid_request_error", "model_not_found"]
    case 429:
      return ["requests", "rate_limit_exceeded"]
    default:
      return [status >= 500 ? "server_error" : "invalid_request_error"]
  }
}

const transcript = (request: Fields): Transcript => {
  const messages = list(request.messages).map(fields)
  const system = messages.filter(({ role }) => role === "system" || role === "developer")
  const limit = request.max_completion_tokens ?? request.max_tokens
  return {
    format: "openai",
    model: text(request.model),
    system: system.map(({ content }) => contentText(content)).join("\n"),
    tools: list(request.tools)
      .map((tool) => fields(fields(tool).function))
      .map((tool) => ({
        name: text(tool.name),
        description: text(tool.description),
        schema: tool.parameters
      })),
    turns: mergeTurns(messages.filter((message) => !system.includes(message)).map(turn)),
    ...(typeof limit === "number" && { maxTokens: limit })
  }
}

const turn = (message: Fields): Turn => {
  const said = (content: unknown) =>
    (typeof content === "string" ? [content] : list(content).map((part) => text(fields(part).text)))
      .filter((part) => part !== "")
      .map((part) => ({ type: "text" as const, text: part }))
  switch (message.role) {
    case "tool":
      return {
        role: "user",
        blocks: [
          {
            type: "result",
            id: text(message.tool_call_id),
            text: contentText(message.content),
            failed: false
          }
        ]
      }
    case "assistant":
      return {
        role: "assistant",
        blocks: [
          ...(text(message.reasoning_content) === ""
            ? []
            : [{ type: "reasoning" as const, text: text(message.reasoning_content) }]),
          ...said(message.content),
          ...list(message.tool_calls)
            .map(fields)
            .map((call) => ({
              type: "call" as const,
              id: text(call.id),
              name: text(fields(call.function).name),
              input: JSON.parse(text(fields(call.function).arguments)) as unknown
            }))
        ]
      }
    default:
      return { role: "user", blocks: said(message.content) }
  }
}

const finishReason = {
  stop: "stop",
  calls: "tool_calls",
  length: "length",
  refusal: "content_filter"
} as const

// Cached tokens are a part of the prompt's here, and beside them in the Anthropic format.
const spent = ({ input, output, cacheRead, cacheWrite }: Tokens) => {
  const prompt = input + cacheRead + cacheWrite
  return {
    prompt_tokens: prompt,
    completion_tokens: output,
    total_tokens: prompt + output,
    prompt_tokens_details: { cached_tokens: cacheRead },
    completion_tokens_details: { reasoning_tokens: 0 }
  }
}

const writer = (model: string, withUsage: boolean) => {
  const head = { id: randomId("chatcmpl-"), object: "chat.completion.chunk", created: 1_767_225_600, model }
  const usage = withUsage ? { usage: null } : {}
  const chunk = (delta: object, finish: string | null = null) =>
    data({ ...head, choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }], ...usage })
  let kind: "text" | "reasoning" | "call" = "text"
  let call = -1
  return (event: AnswerEvent): string => {
    switch (event.type) {
      case "start":
        return chunk({ role: "assistant", content: "" })
      case "block-start": {
        const { block } = event
        kind = block.type
        if (block.type !== "call") return ""
        call++
        return chunk({
          tool_calls: [
            { index: call, id: block.id, type: "function", function: { name: block.name, arguments: "" } }
          ]
        })
      }
      case "fragment":
        if (kind === "text") return chunk({ content: event.text })
        if (kind === "reasoning") return chunk({ reasoning_content: event.text })
        return chunk({ tool_calls: [{ index: call, function: { arguments: event.text } }] })
      case "block-end":
        return ""
      case "end":
        return (
          chunk({}, finishReason[event.reason]) +
          (withUsage ? data({ ...head, choices: [], usage: spent(event.tokens) }) : "") +
          "data: [DONE]\n\n"
        )
      case "error":
        return data({ error: errorOf(event.refusal) })
    }
  }
}

const data = (value: object) => `data: ${JSON.stringify(value)}\n\n`
