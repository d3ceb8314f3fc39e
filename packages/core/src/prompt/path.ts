/** A file's name, which anybody may have chosen, as it is shown to a model or a person. Pure. */
import { defang } from "../monitor/defang.ts"

const hidden = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu

/**
 * Spells out control, bidirectional and invisible characters, tab and newline too: `a\u{202e}b`. What could pass for
 * a label or a tag of ours is defanged.
 */
export const visiblePath = (path: string): string =>
  defang(path.replace(hidden, (character) => `\\u{${character.codePointAt(0)!.toString(16)}}`))
