/** Searches one file, a chunk at a time. */
import { Effect } from "effect"
import type { ToolFailed } from "../tool.ts"
import { onFiles } from "./file-error.ts"
import { type Finder, type MatchingLine, matchingLines, pause } from "./matching-lines.ts"
import { binaryReason, readBytes, withFile } from "./text-file.ts"

const chunkBytes = 1024 * 1024
/** Of a line that does not end; longer ones are searched in pieces. */
const maxLineBytes = 4 * chunkBytes

export interface Searched {
  readonly matches: ReadonlyArray<MatchingLine>
  /** Why the file was not searched. */
  readonly skipped: "binary" | "huge" | undefined
}

/** At most `maxMatches` lines; a file of more than `maxBytes` is not searched. Others may work in between. */
export const searchFile = Effect.fnUntraced(function* (
  path: string,
  shown: string,
  finder: Finder,
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
    if (last && finder.required !== undefined && !text.includes(finder.required))
      return { matches, skipped: undefined }
    const lines = matchingLines(text, finder, line)
    for (let found = lines.next(); ; found = lines.next()) {
      if (found.done) {
        line = found.value
        break
      }
      if (found.value === pause) yield* Effect.yieldNow
      else if (matches.push(found.value) >= bounds.maxMatches) return { matches, skipped: undefined }
    }
    if (last) return { matches, skipped: undefined }
  }
})

const decoder = new TextDecoder()

const chunkAt = (path: string, shown: string, position: number) =>
  onFiles(shown, () =>
    withFile(path, shown, async (file, stat) => {
      const size = Number(stat.size)
      return {
        size,
        bytes: await readBytes(file, Math.min(chunkBytes, Math.max(0, size - position)), position)
      }
    })
  )
