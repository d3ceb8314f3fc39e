/** The Anthropic Messages format, streaming. */
import { createHash } from "node:crypto"
import { blocksOf, checkAnthropic } from "./anthropic-rules.ts"
import {
  type CallBlock,
  mergeTurns,
  type ReasoningBlock,
  type ResultBlock,
  type TextBlock,
  type Transcript,
  type Turn
} from "./conversation.ts"
import {
  type AnswerEvent,
  type Fields,
  fields,
  list,
  randomId,
  refuse,
  type Tokens,
  text,
  type WireFormat
} from "./wire.ts"

/** A thinking text comes back unaltered under its signature, or is refused. */
export const signature = (thinking: string): string =>
  createHash("sha256").update(`thinking:${thinking}`).digest("base64")

const errorType = (status: number): string => {
  switch (status) {
    case 401:
      return "authentication_error"
    case 403:
      return "permission_error"
    case 404:
      return "not_found_error"
    case 413:
      return "request_too_large"
    case 429:
      return "rate_limit_error"
    case 504:
      return "timeout_error"
    case 529:
      return "overloaded_error"
    default:
      return status >= 500 ? "api_error" : "invalid_request_error"
  }
}

export const anthropic: WireFormat = {
  key: (headers) =>
    headers.get("x-api-key") ?? headers.get("authorization")?.replace(/^Bearer /u, "") ?? undefined,
  refuseKey: (given) => ({
    status: 401,
    message: given === undefined ? "x-api-key header is required" : "invalid x-api-key"
  }),
  refuseModel: (model) => ({ status: 404, message: `model: ${model}` }),
  refuseLength: (tokens, window) => ({
    status: 400,
    message: `prompt is too long: ${tokens} tokens > ${window} maximum`
  }),
  read: (body, headers) => {
    if (!headers.has("anthropic-version")) refuse("anthropic-version: header is required")
    const request = fields(body)
    checkAnthropic(request, (thinking, signed) => signature(thinking) === signed)
    return transcript(request)
  },
  errorBody: (refusal, requestID) => ({
    type: "error",
    error: { type: refusal.kind ?? errorType(refusal.status), message: refusal.message },
    request_id: requestID
  }),
  headers: (requestID) => ({ "request-id": requestID }),
  callID: () => randomId("toolu_"),
  writer: (_body, { model }) => writer(model),
  models: (ids) => ({
    data: ids.map((id) => ({ type: "model", id, display_name: id, created_at: "2026-01-01T00:00:00Z" })),
    has_more: false,
    first_id: ids[0] ?? null,
    last_id: ids.at(-1) ?? null
  })
}

const transcript = (request: Fields): Transcript => ({
  format: "anthropic",
  model: text(request.model),
  system: blocksOf(request.system)
    .map((block) => text(block.text))
    .join("\n"),
  tools: list(request.tools)
    .map(fields)
    .map((tool) => ({
      name: text(tool.name),
      description: text(tool.description),
      schema: tool.input_schema
    })),
  turns: mergeTurns(list(request.messages).map(fields).map(turn)),
  maxTokens: Number(request.max_tokens)
})

const turn = (message: Fields): Turn => {
  const blocks = blocksOf(message.content)
  return message.role === "user"
    ? { role: "user", blocks: blocks.flatMap(userBlock) }
    : { role: "assistant", blocks: blocks.flatMap(assistantBlock) }
}

const userBlock = (block: Fields): ReadonlyArray<TextBlock | ResultBlock> => {
  if (block.type === "text") return [{ type: "text", text: text(block.text) }]
  if (block.type !== "tool_result") return []
  const said = blocksOf(block.content)
    .map((inner) => text(inner.text))
    .join("\n")
  return [{ type: "result", id: text(block.tool_use_id), text: said, failed: block.is_error === true }]
}

const assistantBlock = (block: Fields): ReadonlyArray<TextBlock | ReasoningBlock | CallBlock> => {
  switch (block.type) {
    case "text":
      return [{ type: "text", text: text(block.text) }]
    case "thinking":
      return [{ type: "reasoning", text: text(block.thinking) }]
    case "tool_use":
      return [{ type: "call", id: text(block.id), name: text(block.name), input: block.input }]
    default:
      return []
  }
}

const frame = (data: { readonly type: string } & Fields) =>
  `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`

const stopReason = { stop: "end_turn", calls: "tool_use", length: "max_tokens", refusal: "refusal" } as const

const spent = ({ input, output, cacheRead, cacheWrite }: Tokens) => ({
  input_tokens: input,
  cache_creation_input_tokens: cacheWrite,
  cache_read_input_tokens: cacheRead,
  output_tokens: output
})

const writer = (model: string) => {
  let index = -1
  let kind: "text" | "reasoning" | "call" = "text"
  let thinking = ""
  return (event: AnswerEvent): string => {
    switch (event.type) {
      case "start":
        return (
          frame({
            type: "message_start",
            message: {
              id: randomId("msg_"),
              type: "message",
              role: "assistant",
              model,
              content: [],
              stop_reason: null,
              stop_sequence: null,
              usage: spent({ ...event.tokens, output: 1 })
            }
          }) + frame({ type: "ping" })
        )
      case "block-start": {
        index++
        kind = event.block.type
        thinking = ""
        const content_block =
          event.block.type === "text"
            ? { type: "text", text: "" }
            : event.block.type === "reasoning"
              ? { type: "thinking", thinking: "", signature: "" }
              : { type: "tool_use", id: event.block.id, name: event.block.name, input: {} }
        return frame({ type: "content_block_start", index, content_block }) + firstDelta(kind, index)
      }
      case "fragment":
        if (kind === "reasoning") thinking += event.text
        return delta(index, fragmentDelta(kind, event.text))
      case "block-end": {
        const signed =
          kind === "reasoning"
            ? delta(index, { type: "signature_delta", signature: signature(thinking) })
            : ""
        return signed + frame({ type: "content_block_stop", index })
      }
      case "end":
        return (
          frame({
            type: "message_delta",
            delta: { stop_reason: stopReason[event.reason], stop_sequence: null },
            usage: spent(event.tokens)
          }) + frame({ type: "message_stop" })
        )
      case "error":
        return frame({
          type: "error",
          error: {
            type: event.refusal.kind ?? errorType(event.refusal.status),
            message: event.refusal.message
          }
        })
    }
  }
}

// The real one opens a call's input with an empty piece.
const firstDelta = (kind: string, index: number) =>
  kind === "call" ? delta(index, { type: "input_json_delta", partial_json: "" }) : ""

const fragmentDelta = (kind: "text" | "reasoning" | "call", piece: string) =>
  kind === "text"
    ? { type: "text_delta", text: piece }
    : kind === "reasoning"
      ? { type: "thinking_delta", thinking: piece }
      : { type: "input_json_delta", partial_json: piece }

const delta = (index: number, change: object) => frame({ type: "content_block_delta", index, delta: change })
