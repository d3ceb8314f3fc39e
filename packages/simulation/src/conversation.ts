/** What a model was sent, the same for every wire format, as a script reads it. */

export type Format = "anthropic" | "openai"

export interface TextBlock {
  readonly type: "text"
  readonly text: string
}

export interface ReasoningBlock {
  readonly type: "reasoning"
  readonly text: string
}

export interface CallBlock {
  readonly type: "call"
  readonly id: string
  readonly name: string
  readonly input: unknown
}

export interface ResultBlock {
  readonly type: "result"
  /** The call's id. */
  readonly id: string
  readonly text: string
  /** The result was marked as an error; only the Anthropic format can say so. */
  readonly failed: boolean
}

/** Neighbouring messages of one role are one turn; tool results belong to the user's. */
export type Turn =
  | { readonly role: "user"; readonly blocks: ReadonlyArray<TextBlock | ResultBlock> }
  | { readonly role: "assistant"; readonly blocks: ReadonlyArray<TextBlock | ReasoningBlock | CallBlock> }

export interface ToolDeclaration {
  readonly name: string
  readonly description: string
  readonly schema: unknown
}

/** A request, parsed. */
export interface Transcript {
  readonly format: Format
  readonly model: string
  readonly system: string
  readonly tools: ReadonlyArray<ToolDeclaration>
  readonly turns: ReadonlyArray<Turn>
  readonly maxTokens?: number
}

/** A call with its result, once there is one. */
export interface Called extends CallBlock {
  readonly result?: ResultBlock
}

/** A transcript and what scripts ask of it. */
export interface Conversation extends Transcript {
  /** All text of the newest user turn that has any, a block a line. */
  readonly lastUserText: string
  /** Text that came after the assistant last spoke; empty where only tool results did. */
  readonly news: string
  /** Calls of the tool in order, or of every tool where none is named. */
  readonly calls: (tool?: string) => ReadonlyArray<Called>
  readonly called: (tool: string) => boolean
  /** What the tool's calls returned, in order. */
  readonly results: (tool?: string) => ReadonlyArray<string>
  /** Whether the text stands anywhere in the turns: texts, reasoning, results. */
  readonly has: (text: string) => boolean
}

export const conversation = (transcript: Transcript): Conversation => {
  const { turns } = transcript
  const results = new Map(
    turns.flatMap((turn) =>
      turn.role === "user"
        ? turn.blocks.filter((block) => block.type === "result").map((block) => [block.id, block] as const)
        : []
    )
  )
  const calls = (tool?: string): ReadonlyArray<Called> =>
    turns
      .flatMap((turn) => (turn.role === "assistant" ? turn.blocks : []))
      .filter((block) => block.type === "call" && (tool === undefined || block.name === tool))
      .map((block) => {
        const call = block as CallBlock
        const result = results.get(call.id)
        return { ...call, ...(result && { result }) }
      })
  return {
    ...transcript,
    lastUserText: turns.map(userText).findLast((text) => text !== "") ?? "",
    news: userText(turns.at(-1)),
    calls,
    called: (tool) => calls(tool).length > 0,
    results: (tool) => calls(tool).flatMap(({ result }) => (result ? [result.text] : [])),
    has: (text) =>
      turns.some((turn) => turn.blocks.some((block) => block.type !== "call" && block.text.includes(text)))
  }
}

/** Roughly four characters a token: steady, so that a script can reckon with it. */
export const estimateTokens = (text: string): number => Math.ceil(text.length / 4)

/** What the whole request would count, tools included. */
export const inputTokens = ({ system, tools, turns }: Transcript): number =>
  estimateTokens(system + (tools.length > 0 ? JSON.stringify(tools) : "") + JSON.stringify(turns))

/** Puts neighbours of one role together. */
export const mergeTurns = (turns: ReadonlyArray<Turn>): ReadonlyArray<Turn> => {
  const merged: Array<Turn> = []
  for (const turn of turns) {
    const last = merged.at(-1)
    if (last?.role === turn.role) {
      merged[merged.length - 1] = { role: turn.role, blocks: [...last.blocks, ...turn.blocks] } as Turn
    } else merged.push(turn)
  }
  return merged
}

const userText = (turn: Turn | undefined): string =>
  turn?.role === "user"
    ? turn.blocks.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n")
    : ""
