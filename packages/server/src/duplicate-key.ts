/** Whether a JSON text has an object with one key twice, of which a parser keeps only the last. Pure. */

/** The text is valid JSON. */
export const duplicateKey = (text: string): boolean => {
  // What is open, the outermost first: the keys of an object, or undefined for a list.
  const open: Array<Set<string> | undefined> = []
  let keyNext = false
  for (let at = 0; at < text.length; at++) {
    switch (text[at]) {
      case "{":
        open.push(new Set())
        keyNext = true
        break
      case "[":
        open.push(undefined)
        keyNext = false
        break
      case "}":
      case "]":
        open.pop()
        break
      case ",":
        keyNext = open.at(-1) !== undefined
        break
      case '"': {
        const end = endOfString(text, at)
        if (keyNext) {
          const keys = open.at(-1)!
          // The same key may be written in more than one way.
          const key: string = JSON.parse(text.slice(at, end + 1))
          if (keys.has(key)) return true
          keys.add(key)
          keyNext = false
        }
        at = end
      }
    }
  }
  return false
}

/** The place of its closing quote. */
const endOfString = (text: string, start: number): number => {
  let at = start + 1
  while (text[at] !== '"') at += text[at] === "\\" ? 2 : 1
  return at
}
