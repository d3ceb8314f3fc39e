/** Words as a shell reads them. Pure. */

/** One command line that a shell takes apart into exactly these words. */
export const shellWords = (words: ReadonlyArray<string>): string => words.map(quoted).join(" ")

/** As it is where a shell would take it so, else in single quotes. */
export const quoted = (word: string): string =>
  /^[\w@%+=:,./-]+$/u.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`
