/** A list in pages. Pure. */

/** Items of a page whose request names no limit. */
export const defaultLimit = 100

interface Page<A> {
  readonly items: ReadonlyArray<A>
  readonly next?: string
}

/** `found` holds one more than the limit where there is more; `cursor` names where the next page begins. */
export const pageOf = <A>(found: ReadonlyArray<A>, limit: number, cursor: (last: A) => string): Page<A> => {
  const items = found.slice(0, limit)
  return found.length > limit ? { items, next: cursor(items.at(-1)!) } : { items }
}

/** The same where `found` was read backwards, though it stands in order: what is one too many comes first. */
export const pageBefore = <A>(
  found: ReadonlyArray<A>,
  limit: number,
  cursor: (first: A) => string
): Page<A> => {
  const items = found.slice(-limit)
  return found.length > limit ? { items, next: cursor(items[0]!) } : { items }
}
