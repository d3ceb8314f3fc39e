/** Another's words, so that they show all that they hold and do nothing to a terminal. Pure. */

/** Control, bidirectional and invisible characters are spelled out: `a\u{202e}b`. */
export const visible = (text: string): string =>
  text.replace(
    /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu,
    (character) => `\\u{${character.codePointAt(0)!.toString(16)}}`
  )

/** A value of a configuration file, whole and on one line. */
export const shownValue = (value: unknown): string =>
  visible(typeof value === "string" ? value : (JSON.stringify(value) ?? ""))
