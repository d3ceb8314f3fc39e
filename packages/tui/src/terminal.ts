/** The terminal that the UI runs in: what it can show, its background, its clipboard. */

interface Input {
  readonly isTTY?: boolean
  readonly setRawMode?: (raw: boolean) => unknown
  readonly on: (event: "readable", listener: () => void) => unknown
  readonly off: (event: "readable", listener: () => void) => unknown
  readonly read: () => Buffer | string | null
  readonly unshift: (data: Buffer) => unknown
}

type Environment = Readonly<Record<string, string | undefined>>

/** `NO_COLOR` takes colours away, whatever it holds; weight and reverse video stay. */
export const hasColours = ({ NO_COLOR, TERM }: Environment): boolean =>
  (NO_COLOR === undefined || NO_COLOR === "") && TERM !== "dumb"

export type Background = "dark" | "light"

/** Told by some terminals in `COLORFGBG`: `15;0`, the background's number last. */
export const backgroundOf = ({ COLORFGBG }: Environment): Background | undefined => {
  const number = /;(\d{1,2})$/u.exec(COLORFGBG ?? "")?.[1]
  if (number === undefined) return undefined
  return number === "7" || Number(number) > 8 ? "light" : "dark"
}

const answer = /\u001b\]11;rgb:([\da-f]{1,4})\/([\da-f]{1,4})\/([\da-f]{1,4})(?:\u0007|\u001b\\)/iu
/** Which every terminal answers, and in order: behind it no colour comes any more. */
const attributes = /\u001b\[\?[\d;]*c/u

/** Of an answer to OSC 11. */
export const brightness = (text: string): Background | undefined => {
  const [, red, green, blue] = answer.exec(text) ?? []
  if (red === undefined || green === undefined || blue === undefined) return undefined
  const part = (hex: string) => Number.parseInt(hex, 16) / (16 ** hex.length - 1)
  return 0.299 * part(red) + 0.587 * part(green) + 0.114 * part(blue) > 0.5 ? "light" : "dark"
}

/** Longer nobody waits for the first screen. */
const maxAskMs = 120

/** Asks the terminal for its background. What is typed meanwhile is kept for who reads next. */
export const askBackground = (
  stdin: Input,
  stdout: { readonly write: (text: string) => unknown },
  maxMs: number = maxAskMs
): Promise<Background | undefined> =>
  new Promise((resolve) => {
    let heard = ""
    const finish = () => {
      clearTimeout(timer)
      stdin.off("readable", hear)
      const typed = heard.replace(answer, "").replace(attributes, "")
      if (typed !== "") stdin.unshift(Buffer.from(typed, "latin1"))
      resolve(brightness(heard))
    }
    // Read as Ink reads: a stream that once flowed would stay silent for it.
    const hear = () => {
      for (let data = stdin.read(); data !== null; data = stdin.read()) {
        heard += typeof data === "string" ? data : data.toString("latin1")
      }
      if (attributes.test(heard)) finish()
    }
    const timer = setTimeout(finish, maxMs)
    stdin.setRawMode?.(true)
    stdin.on("readable", hear)
    stdout.write("\u001b]11;?\u001b\\\u001b[c")
  })

/** Sets the clipboard, where the terminal lets programs do so (OSC 52). */
export const clipboard = (text: string): string => `\u001b]52;c;${Buffer.from(text).toString("base64")}\u0007`

/** Whatever the UI had set, should it not get to take it back: pastes, keys, cursor, alternate screen. */
export const restored = "\u001b[?2004l\u001b[<u\u001b[?25h\u001b[?1049l"

/** Stops the process group, as Ctrl-Z does outside of raw mode; goes on when it is continued. */
export const stopped = (): Promise<void> =>
  new Promise((resolve) => {
    process.once("SIGCONT", () => resolve())
    process.kill(0, "SIGTSTP")
  })
