/** A request as it goes over the wire, as a page that is read and diffed. Pure. */

export type Format = "anthropic" | "openai"

type Json = null | boolean | number | string | ReadonlyArray<Json> | { readonly [key: string]: Json }
type Fields = Readonly<Record<string, Json>>

/** What a page says of every block, whatever the format. */
interface Block {
  readonly title: string
  readonly text: string
  readonly language?: "json"
}

interface Request {
  readonly settings: Fields
  readonly tools: ReadonlyArray<{
    readonly name: string
    readonly description: string
    readonly schema: Json
  }>
  readonly messages: ReadonlyArray<{ readonly role: string; readonly blocks: ReadonlyArray<Block> }>
}

export const promptPage = (body: unknown, format: Format): string => {
  const { settings, tools, messages } = (format === "anthropic" ? anthropic : openai)(body as Fields)
  return [
    "# What a model is sent",
    "",
    `A whole request of a sample session in the ${format} format, every word of it. Written by \`node scripts/bun.mjs scripts/prompt.ts --write\`;`,
    "`npm test` fails where it is not what is sent. ⚑ marks the places up to which the provider may cache.",
    "",
    ...fenced({ title: "Settings", text: json(settings), language: "json" }, "##"),
    ...messages.filter(({ role }) => role === "system").flatMap(section),
    "## Tools",
    "",
    ...tools.flatMap(({ name, description, schema }) => [
      ...fenced({ title: name, text: description }, "###"),
      ...fence(json(schema), "json")
    ]),
    ...messages.filter(({ role }) => role !== "system").flatMap(section)
  ].join("\n")
}

const section = ({ role, blocks }: Request["messages"][number]) => [
  `## ${role}`,
  "",
  ...blocks.flatMap((block) => fenced(block, "###"))
]

const fenced = ({ title, text, language }: Block, level: string) => [
  `${level} ${title}`,
  "",
  ...fence(text, language ?? "text")
]

/** A fence that the text does not hold. */
const fence = (text: string, language: string) => {
  const longest = Math.max(2, ...Array.from(text.matchAll(/`{3,}/gu), ([ticks]) => ticks.length))
  const ticks = "`".repeat(longest + 1)
  return [`${ticks}${language}`, text, ticks, ""]
}

const json = (value: Json) => JSON.stringify(value, null, 2)

const anthropic = ({ system, tools, messages, ...settings }: Fields): Request => ({
  settings,
  tools: list(tools).map(({ name, description, input_schema: schema = null }) => ({
    name: text(name),
    description: text(description),
    schema
  })),
  messages: [
    { role: "system", blocks: list(system).map(anthropicBlock) },
    ...list(messages).map(({ role, content }) => ({
      role: text(role),
      blocks: list(content).map(anthropicBlock)
    }))
  ]
})

const anthropicBlock = (block: Fields): Block => {
  const { type, cache_control: mark, ...rest } = block
  const titled = (title: string) => `${title}${mark === undefined ? "" : " ⚑"}`
  switch (type) {
    case "text":
      return { title: titled("text"), text: text(rest["text"]) }
    case "tool_use":
      return {
        title: titled(`call ${text(rest["id"])}: ${text(rest["name"])}`),
        text: json(rest["input"] ?? null),
        language: "json"
      }
    case "tool_result": {
      const failed = rest["is_error"] === true ? ", failed" : ""
      return {
        title: titled(`result of ${text(rest["tool_use_id"])}${failed}`),
        text: textOf(rest["content"])
      }
    }
    default:
      return { title: titled(text(type)), text: json(rest), language: "json" }
  }
}

const openai = ({ tools, messages, ...settings }: Fields): Request => ({
  settings,
  tools: list(tools).map(({ function: declared }) => {
    const { name, description, parameters = null } = declared as Fields
    return { name: text(name), description: text(description), schema: parameters }
  }),
  messages: list(messages).map(({ role, content, tool_calls: calls, tool_call_id: call }) => ({
    role: text(role),
    blocks: [
      ...(call === undefined ? said(content) : [{ title: `result of ${text(call)}`, text: textOf(content) }]),
      ...list(calls).map(({ id, function: called }): Block => {
        const { name, arguments: input } = called as Fields
        return {
          title: `call ${text(id)}: ${text(name)}`,
          text: json(JSON.parse(text(input)) as Json),
          language: "json"
        }
      })
    ]
  }))
})

const said = (content: Json | undefined): ReadonlyArray<Block> => {
  if (content === null || content === undefined) return []
  if (typeof content === "string") return [{ title: "text", text: content }]
  return list(content).map((block) => ({ title: text(block["type"]), text: textOf([block]) }))
}

const list = (value: Json | undefined) => (Array.isArray(value) ? value : []) as ReadonlyArray<Fields>

const text = (value: Json | undefined): string => (typeof value === "string" ? value : json(value ?? null))

/** A text, or the texts of blocks; anything else as it is. */
const textOf = (content: Json | undefined): string =>
  Array.isArray(content)
    ? list(content)
        .map((block) => (block["type"] === "text" ? text(block["text"]) : json(block)))
        .join("\n")
    : text(content)
