/** A part of what a command printed, in as many pages as it takes. */
import type { OutputPage } from "@vigil/schema/output"
import { Effect, Option } from "effect"
import type { Look, OutputQuery, Task } from "../../look.ts"

/** Most of one page. */
export const pageBytes = 65_536

/** The newest bytes, or everything from a cursor on. */
export const readOutput = Effect.fnUntraced(function* (
  look: Look,
  task: Task,
  from: Option.Option<number>,
  limit: Option.Option<number>
) {
  const newest = Option.getOrElse(limit, () => pageBytes)
  if (Option.isNone(from) && newest <= pageBytes) return yield* look.output(task, { limit: newest })
  // More than one page: counted back from the end there is now.
  const begin = Option.isSome(from)
    ? from.value
    : Math.max(0, (yield* look.output(task, { limit: 4 })).size - newest)
  const most = Option.getOrElse(limit, () => Number.POSITIVE_INFINITY)
  return yield* readFrom(look, task, begin, most)
})

/** Up to what there is at first: a command that prints without end is not followed. */
const readFrom = Effect.fnUntraced(function* (look: Look, task: Task, cursor: number, most: number) {
  const page = (query: OutputQuery) => look.output(task, query)
  const first = yield* page({ cursor, limit: Math.min(most, pageBytes) })
  const parts = [first.output]
  const begin = Math.max(cursor, first.start)
  let last: OutputPage = first
  while (last.cursor < first.size && last.cursor - begin + 4 <= most) {
    const next = yield* page({
      cursor: last.cursor,
      limit: Math.min(pageBytes, most - (last.cursor - begin))
    })
    if (next.cursor <= last.cursor) break
    parts.push(next.output)
    last = next
  }
  return { ...last, output: parts.join(""), truncated: first.truncated }
})
