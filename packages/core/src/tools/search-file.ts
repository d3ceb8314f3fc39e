/** Searches one file, a chunk at a time. */
import { Effect, Semaphore } from "effect"
import type { ToolFailed } from "../tool.ts"
import { onFiles } from "./file-error.ts"
import type { Finder } from "./finder.ts"
import { type MatchingLine, matchingLines, type Pace, pause } from "./matching-lines.ts"
import { binaryReason, readChunk } from "./text-file.ts"

const chunkBytes = 1024 * 1024
/** Of a line that does not end; longer ones are searched in pieces. */
const maxLineBytes = 4 * chunkBytes

export interface Searched {
  readonly matches: ReadonlyArray<MatchingLine>
  /** Why the file was not searched. */
  readonly skipped: "binary" | "huge" | undefined
}

/** What the files of one search share. */
export interface Search {
  readonly finder: Finder
  readonly pace: Pace
  /** Waits until others have had a turn. Files that are read side by side go on one by one, each in a turn of its own. */
  readonly rest: Effect.Effect<void>
}

export const newSearch = (finder: Finder): Search => {
  const pace = { characters: 0 }
  const rest = Effect.andThen(
    Effect.yieldNow,
    Effect.sync(() => {
      pace.characters = 0
    })
  )
  return { finder, pace, rest: Semaphore.makeUnsafe(1).withPermit(rest) }
}

/** At most `maxMatches` lines; a file of more than `maxBytes` is not searched. Others may work in between. */
export const searchFile = Effect.fnUntraced(function* (
  path: string,
  shown: string,
  search: Search,
  bounds: { readonly maxBytes: number; readonly maxMatches: number }
): Effect.fn.Return<Searched, ToolFailed> {
  const matches: Array<MatchingLine> = []
  let carried = new Uint8Array()
  let position = 0
  let line = 1
  while (true) {
    const chunk = yield* chunkAt(path, shown, position)
    if (position === 0) {
      if (chunk.size > bounds.maxBytes) return { matches, skipped: "huge" }
      if (binaryReason(chunk.bytes)) return { matches, skipped: "binary" }
    }
    position += chunk.bytes.length
    const last = position >= chunk.size || chunk.bytes.length === 0
    const bytes = carried.length === 0 ? chunk.bytes : Buffer.concat([carried, chunk.bytes])
    const cut = last || bytes.length > maxLineBytes ? bytes.length : bytes.lastIndexOf(10) + 1
    carried = bytes.slice(cut)
    const text = decoder.decode(bytes.subarray(0, cut))
    if (last && !search.finder.mayHold(text)) return { matches, skipped: undefined }
    line = yield* collect(search, text, line, matches, bounds.maxMatches)
    if (last || matches.length >= bounds.maxMatches) return { matches, skipped: undefined }
  }
})

/** Adds to `matches` up to `maxMatches`; the number of the next line. */
const collect = Effect.fnUntraced(function* (
  { finder, pace, rest }: Search,
  text: string,
  firstLine: number,
  matches: Array<MatchingLine>,
  maxMatches: number
) {
  const lines = matchingLines(text, finder, pace, firstLine)
  for (let found = lines.next(); ; found = lines.next()) {
    if (found.done) return found.value
    if (found.value === pause) yield* rest
    else if (matches.push(found.value) >= maxMatches) return found.value.line + 1
  }
})

const decoder = new TextDecoder()

const chunkAt = (path: string, shown: string, position: number) =>
  onFiles(shown, () => readChunk(path, shown, position, chunkBytes))
