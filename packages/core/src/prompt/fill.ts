/** Texts for a model are files that people read; what differs from session to session is filled in here. Pure. */

/**
 * The text with `{{name}}` replaced by its value, as it stands, and without white space at its end. A name without
 * a value and a value without a place are faults of ours and throw.
 */
export const fill = (text: string, values: Readonly<Record<string, string>> = {}): string => {
  const unused = new Set(Object.keys(values))
  const filled = text.trimEnd().replaceAll(/\{\{(.*?)\}\}/gsu, (_, name: string) => {
    if (!Object.hasOwn(values, name)) throw new Error(`Nothing is given for {{${name}}}`)
    unused.delete(name)
    return values[name]!
  })
  if (unused.size > 0) throw new Error(`There is no place for ${[...unused].join(", ")}`)
  return filled
}
