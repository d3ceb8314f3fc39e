/** Colours, where they are wanted. */

export interface Paint {
  readonly bold: (text: string) => string
  readonly dim: (text: string) => string
  readonly red: (text: string) => string
  readonly green: (text: string) => string
  readonly yellow: (text: string) => string
  readonly cyan: (text: string) => string
}

const sgr = (on: number, off: number) => (text: string) => `\u001b[${on}m${text}\u001b[${off}m`

export const coloured: Paint = {
  bold: sgr(1, 22),
  dim: sgr(2, 22),
  red: sgr(31, 39),
  green: sgr(32, 39),
  yellow: sgr(33, 39),
  cyan: sgr(36, 39)
}

const same = (text: string) => text

export const plain: Paint = { bold: same, dim: same, red: same, green: same, yellow: same, cyan: same }

/** What https://no-color.org and FORCE_COLOR ask for; else colours are for terminals. */
export const paintFor = ({
  env,
  isTerminal
}: {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly isTerminal: boolean
}): Paint => {
  if (env["NO_COLOR"]) return plain
  const force = env["FORCE_COLOR"]
  if (force !== undefined) return ["0", "false"].includes(force.toLowerCase()) ? plain : coloured
  return isTerminal && env["TERM"] !== "dumb" ? coloured : plain
}
