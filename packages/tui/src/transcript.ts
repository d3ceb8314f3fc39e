/**
 * A session's conversation as blocks of rows.
 *
 * A block is laid out when it is first seen, and again when its part, the width or the detail changes. What a person
 * typed, what the agent said and what a monitor printed are told apart by their first column.
 */
import type { EventMessage, Message, ReasoningPart, TextPart, ToolPart, Turn } from "@vigil/sdk/wire"
import type { SyncedMessage } from "@vigil/sdk/sync"
import type { Snapshot } from "./store.ts"
import { markdown, type LaidOut } from "./text/markdown.ts"
import { count, took } from "./text/quantity.ts"
import { blank, clip, clipRow, type Row, type Span, span, spread } from "./text/row.ts"
import { toolAbout } from "./text/tool.ts"
import { oneLine, printed, visible } from "./text/visible.ts"
import type { Blocks } from "./text/window.ts"
import { wrap } from "./text/wrap.ts"
import type { Tone } from "./theme.ts"

interface Laying {
  readonly width: number
  /** Everything, instead of the first lines. */
  readonly details: boolean
}

interface Block {
  readonly id: string
  /** What its rows come from: they are laid out again only when this is another object. */
  readonly source: object
  /** An empty row in front. */
  readonly gap: boolean
  readonly lay: (laying: Laying) => ReadonlyArray<Row>
}

const shortLines = 4
const eventLines = 12

const led = (rows: ReadonlyArray<Row>, first: Span, others: Span): ReadonlyArray<Row> =>
  rows.map((row, index) => [index === 0 ? first : others, ...row])

/** The first lines, and how many there are besides. */
const shortened = (lines: ReadonlyArray<string>, most: number, { width, details }: Laying, tone?: Tone) => {
  const shown = details || lines.length <= most + 1 ? lines : lines.slice(0, most)
  const rows = shown.flatMap((line) => wrap(line, width, tone))
  const hidden = lines.length - shown.length
  return hidden === 0 ? rows : [...rows, [span(`… ${count(hidden, "more line")}`, "faint")]]
}

const userRows = (text: string, { width }: Laying): ReadonlyArray<Row> =>
  led(wrap(visible(text), width - 2, "strong"), span("❯ ", "user"), span("  "))

const laid = new Map<string, LaidOut & { readonly width: number }>()
const maxLaid = 64

/** Text streams: only what was added since is laid out. */
const textRows = ({ id, text }: TextPart, { width }: Laying): ReadonlyArray<Row> => {
  const room = width - 2
  const before = laid.get(id)
  const { rows, upTo } = markdown(visible(text.trimEnd()), room, before?.width === room ? before : undefined)
  laid.delete(id)
  laid.set(id, { ...upTo, width: room })
  if (laid.size > maxLaid) laid.delete(laid.keys().next().value ?? "")
  return led(rows, span("  "), span("  "))
}

const reasoningRows = ({ text }: ReasoningPart, { width, details }: Laying): ReadonlyArray<Row> => {
  const all = visible(text.trim())
  if (details) return led(wrap(all, width - 2, "italic"), span("∴ ", "faint"), span("  "))
  return [[span("∴ ", "faint"), span(clip(oneLine(all), width - 2), "italic")]]
}

const marks: Readonly<Record<ToolPart["status"], Span>> = {
  running: span("◌ ", "accent"),
  completed: span("✓ ", "good"),
  failed: span("✗ ", "bad"),
  interrupted: span("– ", "warn")
}

const looks: ReadonlySet<string> = new Set(["read", "glob", "grep"])

const toolRows = (part: ToolPart, laying: Laying): ReadonlyArray<Row> => {
  const { status, startedAt, endedAt, output } = part
  const { width, details } = laying
  const name = clip(oneLine(part.name) || "(no name)", 30)
  const time =
    endedAt === undefined || endedAt - startedAt < 100 ? [] : [span(took(endedAt - startedAt), "faint")]
  const about = toolAbout(part.name, part.input)
  const head = [marks[status], span(name, "strong"), span(` ${about}`, "quiet")]
  const first = details
    ? led(wrap(`${name} ${about}`, width - 2, "quiet"), marks[status], span("  "))
    : [spread(head, time, width)]
  const text = printed(output ?? "").replace(/\n+$/u, "")
  if (text === "") return first
  const tone = status === "failed" ? "bad" : "faint"
  // What was looked at is the agent's concern; how much it was tells that it was found.
  if (status === "completed" && !details && looks.has(part.name)) {
    return [...first, [span("  └ ", "rule"), span(count(text.split("\n").length, "line"), "faint")]]
  }
  const lines = shortened(text.split("\n"), shortLines, { ...laying, width: width - 4 }, tone)
  return [...first, ...led(lines, span("  └ ", "rule"), span("    "))]
}

const eventRows = ({ payload }: EventMessage, laying: Laying): ReadonlyArray<Row> => {
  const { width } = laying
  const named = (name: string, lines: ReadonlyArray<string>, tone?: Tone) => [
    clipRow([span("◆ ", "event"), span(oneLine(name), "event")], width),
    ...led(
      shortened(lines, eventLines, { ...laying, width: width - 2 }, tone),
      span("│ ", "event"),
      span("│ ", "event")
    )
  ]
  switch (payload.type) {
    case "lines":
      return named(payload.source.description, payload.lines.map(printed))
    case "notice":
      return named(payload.source.description, printed(payload.text).split("\n"), "quiet")
    case "remark":
      return named(payload.source.description, printed(payload.text).split("\n"), "quiet")
    case "counts":
      return named(
        "Too many events waited",
        payload.suppressed.map(
          ({ source, lines }) => `${count(lines, "line")} of ${oneLine(source.description)} suppressed`
        ),
        "quiet"
      )
  }
}

const summaryRows = ({ width }: Laying): ReadonlyArray<Row> =>
  wrap("— from here on the agent reads a summary of what is above —", width, "faint")

/** Of a turn that did not end well; one that did needs no word. */
const turnRows = ({ outcome, error, remark }: Turn, { width }: Laying): ReadonlyArray<Row> => {
  const because = error === undefined ? "" : `: ${printed(error.trim())}`
  const [text, tone]: readonly [string, Tone] =
    outcome === "failed"
      ? [`Failed${because}`, "bad"]
      : outcome === "interrupted"
        ? ["Interrupted", "warn"]
        : outcome === "rejected"
          ? ["Ended by a rejection", "warn"]
          : outcome === "server_stopped"
            ? ["Ended by a stop of the server", "warn"]
            : [printed(remark ?? ""), "quiet"]
  return led(wrap(text, width - 2, tone), span("■ ", tone), span("  "))
}

const isTold = ({ outcome, remark }: Turn) =>
  outcome !== undefined && (outcome !== "completed" || remark !== undefined)

const partBlocks = (message: Message, { parts }: SyncedMessage): ReadonlyArray<Block> =>
  parts.flatMap((part, index): ReadonlyArray<Block> => {
    const id = `${message.id} ${part.id}`
    // Calls of one step stand together.
    const gap = !(part.type === "tool" && parts[index - 1]?.type === "tool")
    if (part.type === "tool") return [{ id, source: part, gap, lay: (laying) => toolRows(part, laying) }]
    if (part.text.trim() === "") return []
    return part.type === "text"
      ? [{ id, source: part, gap, lay: (laying) => textRows(part, laying) }]
      : [{ id, source: part, gap, lay: (laying) => reasoningRows(part, laying) }]
  })

const messageBlocks = (entry: SyncedMessage): ReadonlyArray<Block> => {
  const { message } = entry
  const one = (lay: Block["lay"]): ReadonlyArray<Block> => [
    { id: message.id, source: message, gap: true, lay }
  ]
  switch (message.role) {
    case "user":
      return one((laying) => userRows(message.payload.text, laying))
    case "event":
      return one((laying) => eventRows(message, laying))
    case "summary":
      return one(summaryRows)
    case "assistant":
      return partBlocks(message, entry)
  }
}

const ofMessage = new WeakMap<SyncedMessage, ReadonlyArray<Block>>()
const ofSnapshot = new WeakMap<
  ReadonlyArray<SyncedMessage>,
  { readonly turns: ReadonlyArray<Turn>; readonly blocks: ReadonlyArray<Block> }
>()

/** In order. Behind what was said in a turn stands how it ended, where that is worth a line. */
export const blocksOf = (snapshot: Snapshot | undefined): ReadonlyArray<Block> => {
  if (snapshot === undefined) return []
  const { messages, turns } = snapshot
  const found = ofSnapshot.get(messages)
  if (found !== undefined && found.turns === turns) return found.blocks
  const ends = endsOf(messages, turns)
  const endBlocks = (index: number) =>
    (ends.get(index) ?? []).map((turn): Block => {
      return { id: turn.id, source: turn, gap: true, lay: (laying) => turnRows(turn, laying) }
    })
  const blocks: Array<Block> = [...endBlocks(-1)]
  messages.forEach((entry, index) => {
    const known = ofMessage.get(entry) ?? messageBlocks(entry)
    ofMessage.set(entry, known)
    blocks.push(...known, ...endBlocks(index))
  })
  ofSnapshot.set(messages, { turns, blocks })
  return blocks
}

/** The turns, newest first, that are told, behind their last message; one in which nothing was said behind the one before it. */
const endsOf = (messages: ReadonlyArray<SyncedMessage>, turns: ReadonlyArray<Turn>) => {
  const ends = new Map<number, Array<Turn>>()
  const told = turns.filter(isTold)
  if (told.length === 0) return ends
  const lastOf = new Map<string, number>(messages.map(({ message }, index) => [message.turnID, index]))
  let place = -1
  for (const turn of turns.toReversed()) {
    const own = lastOf.get(turn.id)
    if (own === undefined && !isTold(turn)) continue
    place = own ?? place
    if (isTold(turn) && (own !== undefined || turn === turns[0]))
      ends.set(place, [...(ends.get(place) ?? []), turn])
  }
  return ends
}

interface Kept extends Laying {
  readonly rows: ReadonlyArray<Row>
}

const kept = new WeakMap<object, Kept>()

const rowsOf = (block: Block, laying: Laying, isFirst: boolean): ReadonlyArray<Row> => {
  const known = kept.get(block.source)
  const fits = known?.width === laying.width && known.details === laying.details
  const { rows } = fits ? known : { rows: [...(block.gap ? [blank] : []), ...block.lay(laying)] }
  if (!fits) kept.set(block.source, { ...laying, rows })
  return isFirst && block.gap ? rows.slice(1) : rows
}

/** For the window: nothing is laid out before it is asked for. */
export const transcript = (blocks: ReadonlyArray<Block>, laying: Laying): Blocks => ({
  length: blocks.length,
  rowsOf: (index) => {
    const block = blocks[index]
    return block === undefined ? [] : rowsOf(block, laying, index === 0)
  }
})

/** The agent's last words, as they were written. */
export const lastAnswer = (snapshot: Snapshot | undefined): string | undefined => {
  for (const { message, parts } of snapshot?.messages.toReversed() ?? []) {
    if (message.role !== "assistant") continue
    const text = parts.findLast((part) => part.type === "text" && part.text.trim() !== "")
    if (text?.type === "text") return text.text.trim()
  }
  return undefined
}
