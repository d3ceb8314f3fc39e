/**
 * A log as it is read: pages that lie side by side, as far as they are loaded, and the place in them. Pure.
 *
 *   0 ····· start ▓▓▓▓ from ████████ to ▓▓▓▓ size
 *   gone          kept      loaded      not read yet
 */
import { printed } from "../text/visible.ts"
import { type Row, span } from "../text/row.ts"
import { wrap } from "../text/wrap.ts"
import { type Blocks, moved, type Place, seen } from "../text/window.ts"

/** A piece of a log as the server gives it: bytes up to `cursor`. */
export interface Page {
  readonly output: string
  readonly cursor: number
  readonly start: number
  readonly size: number
  readonly truncated: boolean
  readonly ended: boolean
}

/** Its text is cleaned when it is first drawn. */
interface Line {
  readonly raw: string
}

export interface Output {
  readonly id: string
  readonly lines: ReadonlyArray<Line>
  readonly from: number
  readonly to: number
  readonly start: number
  readonly size: number
  readonly ended: boolean
  /** The row at the top while reading; the end is followed without one. */
  readonly place: Place | undefined
  /** What is being read now. */
  readonly loading: "newest" | "older" | "newer" | undefined
  readonly why: string | undefined
  /** To the very start, once it is loaded. */
  readonly toStart: boolean
  /** The feed told of lines behind what is loaded, or it is time to look for some. */
  readonly stale: boolean
  /** What the feed has told of it, as a count that grows. */
  readonly told: number | undefined
  /** Looks in a row that brought nothing. */
  readonly rests: number
}

export const pageBytes = 65_536
/** Read so much at most is kept loaded; what lies at the other end is read again when it is wanted. */
const maxBytes = 8 * pageBytes

export const opened = (id: string): Output => ({
  id,
  lines: [],
  from: 0,
  to: 0,
  start: 0,
  size: 0,
  ended: false,
  place: undefined,
  loading: "newest",
  why: undefined,
  toStart: false,
  stale: false,
  told: undefined,
  rests: 0
})

const maxRests = 3
const lookMs = 1_000

/** Looked for lines that nobody tells of, such as those on stderr: less and less often while there are none. */
export const lookAgainMs = ({ rests }: Output): number => lookMs * 2 ** rests

export const lookedAt = (output: Output): Output => ({
  ...output,
  stale: true,
  rests: Math.min(output.rests + 1, maxRests)
})

/** With what the feed tells of its process: what it had told is in the first page. */
export const toldOf = (output: Output, told: number): Output => {
  const grew = output.told !== undefined && told > output.told
  return { ...output, told, stale: output.stale || grew, rests: grew ? 0 : output.rests }
}

const linesOf = (text: string): ReadonlyArray<Line> => text.split("\n").map((raw) => ({ raw }))

const encoder = new TextEncoder()
const bytes = (text: string) => encoder.encode(text).length

const settled = (output: Output, { cursor, start, size, ended }: Page): Output => ({
  ...output,
  start,
  size,
  ended,
  loading: undefined,
  why: undefined,
  rests: cursor > output.to ? 0 : output.rests
})

/** Bytes that are no UTF-8 count as they were asked for. */
const beginOf = ({ output, cursor, start, size }: Page): number =>
  output.includes("\ufffd") ? Math.max(start, size - pageBytes) : cursor - bytes(output)

/** With a page that was asked for at `cursor`; without one it is the newest. */
export const paged = (output: Output, page: Page, cursor: number | undefined): Output => {
  const { output: text } = page
  const from = beginOf(page)
  if (cursor === undefined || output.lines.length === 0 || page.size < output.to) {
    return { ...settled(output, page), lines: linesOf(text), from, to: page.cursor, place: undefined }
  }
  if (cursor < output.from) return withOlder(output, page, cursor)
  if (text === "") return { ...settled(output, page), to: Math.max(output.to, page.cursor) }
  // What lay between was dropped before it was read: the rest does not belong to what is loaded.
  if (page.truncated) {
    return {
      ...settled(output, page),
      lines: linesOf(text),
      from,
      to: page.cursor,
      place: output.place && { index: 0, row: 0 }
    }
  }
  const added = linesOf(text)
  const last = output.lines.at(-1)?.raw ?? ""
  const lines = [...output.lines.slice(0, -1), { raw: last + (added[0]?.raw ?? "") }, ...added.slice(1)]
  return trimmedFront({ ...settled(output, page), lines, to: page.cursor })
}

/** A page read backwards may begin inside a character, which is left to the page before it. */
const brokenHead = /^\ufffd{1,3}/u

const withOlder = (output: Output, page: Page, cursor: number): Output => {
  const broken = cursor > page.start ? (brokenHead.exec(page.output)?.[0].length ?? 0) : 0
  const added = linesOf(page.output.slice(broken))
  // A log that turned meanwhile has nothing in front.
  if (page.output === "" || page.cursor > output.from) {
    return { ...settled(output, page), from: Math.max(output.from, page.start), toStart: false }
  }
  const joint = { raw: (added.at(-1)?.raw ?? "") + (output.lines[0]?.raw ?? "") }
  const lines = [...added.slice(0, -1), joint, ...output.lines.slice(1)]
  const shifted = added.length - 1
  const from = Math.max(cursor, page.start) + broken
  const place = output.place && { ...output.place, index: output.place.index + shifted }
  const grown = {
    ...settled(output, page),
    lines,
    from,
    place: output.toStart ? { index: 0, row: 0 } : place
  }
  return trimmedBack({ ...grown, toStart: output.toStart && from > page.start })
}

/** The front goes while the end is followed or read. */
const trimmedFront = (output: Output): Output => {
  let { from, lines, place } = output
  if (output.to - from <= maxBytes) return output
  let dropped = 0
  while (output.to - from > maxBytes && dropped < lines.length - 1) {
    if (place !== undefined && place.index <= dropped) break
    from += bytes(lines[dropped]?.raw ?? "") + 1
    dropped += 1
  }
  lines = lines.slice(dropped)
  place = place && { ...place, index: place.index - dropped }
  return { ...output, from, lines, place }
}

/** The end goes while the start is read. */
const trimmedBack = (output: Output): Output => {
  if (output.place === undefined || output.to - output.from <= maxBytes) return output
  const lines = [...output.lines]
  let { to } = output
  // A line goes with the newline in front of it, so that what is read next begins with that.
  while (to - output.from > maxBytes && lines.length > output.place.index + 200) {
    to -= bytes(lines.pop()?.raw ?? "") + 1
  }
  return { ...output, lines, to }
}

const cache = new WeakMap<Line, { readonly width: number; readonly rows: ReadonlyArray<Row> }>()

const rowsOf = (line: Line, width: number): ReadonlyArray<Row> => {
  const known = cache.get(line)
  if (known?.width === width) return known.rows
  const rows = wrap(printed(line.raw.replace(/\r$/u, "")), width)
  cache.set(line, { width, rows })
  return rows
}

/** Lines with, in front, what says that there were more. */
const blocks = ({ lines, from, start }: Output, width: number): Blocks => {
  const shown = lines.at(-1)?.raw === "" ? lines.slice(0, -1) : lines
  const gone = from <= start && start > 0 ? [[span("· older output is gone", "faint")]] : []
  return {
    length: shown.length,
    rowsOf: (index) => {
      const line = shown[index]
      const rows = line === undefined ? [] : rowsOf(line, width)
      return index === 0 && gone.length > 0 ? [...gone, ...rows] : rows
    }
  }
}

export const outputSeen = (output: Output, width: number, height: number) =>
  seen(blocks(output, width), height, output.place)

export const isFollowing = ({ place, to, size }: Output): boolean => place === undefined && to >= size

export const outputMoved = (output: Output, width: number, height: number, by: number): Output => ({
  ...output,
  place: moved(blocks(output, width), height, output.place, by)
})

/** What should be read next: at a cursor, or the newest. */
export interface Reading {
  readonly loading: "newest" | "older" | "newer"
  readonly cursor?: number
  readonly limit: number
}

/** Where nothing is being read: older lines near the start, newer ones near the end or while following. */
export const nextReading = (output: Output, width: number, height: number): Reading | undefined => {
  const { from, to, start, size, loading, place, toStart } = output
  if (loading !== undefined || output.why !== undefined) return undefined
  const older: Reading = {
    loading: "older",
    cursor: Math.max(start, from - pageBytes),
    limit: Math.max(4, Math.min(pageBytes, from - start))
  }
  const hasOlder = from > start
  if (toStart && hasOlder) return older
  const view = outputSeen(output, width, height)
  if (place !== undefined && hasOlder && view.top.index < height) return older
  if (place === undefined && hasOlder && view.rows.length < height) return older
  const isNear = place === undefined || view.top.index + 2 * height >= output.lines.length
  return (to < size || output.stale) && isNear
    ? { loading: "newer", cursor: to, limit: pageBytes }
    : undefined
}

/** On its way. */
export const beingRead = (output: Output, { loading }: Reading): Output => ({
  ...output,
  loading,
  stale: loading === "older" && output.stale
})

/** To the start of what is kept. */
export const toStart = (output: Output): Output => ({
  ...output,
  place: { index: 0, row: 0 },
  toStart: output.from > output.start
})

/** To the end, and on with it. The newest page is read anew where the loaded ones end before it. */
export const toEnd = (output: Output): Output => {
  const far = output.size - output.to > pageBytes
  return {
    ...output,
    place: undefined,
    toStart: false,
    stale: !output.ended,
    rests: 0,
    ...(far ? { lines: [], loading: undefined, from: output.size, to: output.size } : {})
  }
}
