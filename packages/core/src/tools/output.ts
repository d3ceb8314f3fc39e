/** What a model reads of a process's log: a page, or the beginning and the end of it. */
import type { OutputPage } from "@vigil/schema/output"
import { Effect } from "effect"
import { defang } from "../monitor/defang.ts"
import { cleanText } from "../monitor/lines.ts"
import { ToolFailed } from "../tool.ts"

/** As much of a log as a model gets at once, in bytes. */
export const maxModelBytes = 16_384

type ReadPage<E> = (page: {
  readonly cursor?: number
  readonly limit: number
}) => Effect.Effect<OutputPage, E>

/** Process output as data: no escape sequences, and nothing that could pass for Vigil's own words. */
export const forModel = (output: string): string => defang(cleanText(output))

/** The whole log where it is short, else its beginning and its end, and how to read what lies between. */
export const excerpt = Effect.fnUntraced(function* <E>(read: ReadPage<E>, id: string) {
  const newest = yield* read({ limit: maxModelBytes })
  if (newest.size === 0) return "(no output)"
  if (newest.size <= maxModelBytes) return forModel(newest.output).trimEnd()
  const half = maxModelBytes / 2
  const head = yield* read({ cursor: newest.start, limit: half })
  const tail = yield* read({ limit: half })
  const tailStart = tail.cursor - Buffer.byteLength(tail.output)
  const between = Math.max(0, tailStart - head.cursor)
  return [
    ...(newest.start > 0 ? [`[${newest.start} older bytes are gone]`] : []),
    forModel(head.output).trimEnd(),
    `[… ${between} bytes left out: monitor_output with id ${id} and cursor ${head.cursor} reads them …]`,
    forModel(tail.output).trimEnd()
  ].join("\n")
})

/** A page, and how to go on. */
export const pageText = (page: OutputPage): string =>
  [
    ...(page.truncated ? [`[older output is gone; this begins at byte ${page.start}]`] : []),
    page.output === "" ? "(nothing more)" : forModel(page.output).trimEnd(),
    page.cursor < page.size
      ? `[more: cursor ${page.cursor} of ${page.size}]`
      : page.ended
        ? `[end of output at ${page.size}]`
        : `[so far; still running. Read on with cursor ${page.cursor} after the next event, not at once]`
  ].join("\n")

/** What a model is told of an error that it can do something about. */
export const toolFailure = ({ message }: { readonly message: string }): ToolFailed =>
  new ToolFailed({ message })
