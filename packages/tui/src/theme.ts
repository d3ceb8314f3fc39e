/** Tones of text, and the colours of each theme. Pure. */

/** What a piece of text is for; a theme says how that looks. */
export type Tone =
  | "quiet"
  | "faint"
  | "strong"
  | "italic"
  | "accent"
  | "title"
  | "user"
  | "event"
  | "code"
  | "good"
  | "warn"
  | "bad"
  | "selected"
  | "match"
  | "chip"
  | "rule"

export interface Look {
  readonly color?: string
  readonly backgroundColor?: string
  readonly bold?: boolean
  readonly dimColor?: boolean
  readonly italic?: boolean
  readonly underline?: boolean
  readonly inverse?: boolean
}

export type Theme = Readonly<Record<Tone, Look>>

export const dark: Theme = {
  quiet: { color: "#9aa4b2" },
  faint: { color: "#697386" },
  strong: { bold: true },
  italic: { italic: true, color: "#9aa4b2" },
  accent: { color: "#7cc4ff" },
  title: { color: "#7cc4ff", bold: true },
  user: { color: "#c3a6ff", bold: true },
  event: { color: "#f2c66d" },
  code: { color: "#8fd6c2" },
  good: { color: "#7fd88f" },
  warn: { color: "#f2c66d" },
  bad: { color: "#ff8a80" },
  selected: { color: "#f4f7fb", backgroundColor: "#2b3a52" },
  match: { color: "#7cc4ff", bold: true, underline: true },
  chip: { color: "#8fd6c2", italic: true },
  rule: { color: "#465063" }
}

export const light: Theme = {
  quiet: { color: "#56606e" },
  faint: { color: "#7d8794" },
  strong: { bold: true },
  italic: { italic: true, color: "#56606e" },
  accent: { color: "#0b5fb0" },
  title: { color: "#0b5fb0", bold: true },
  user: { color: "#6b3fb5", bold: true },
  event: { color: "#8a5a00" },
  code: { color: "#0d6b5a" },
  good: { color: "#1c7a33" },
  warn: { color: "#8a5a00" },
  bad: { color: "#b3261e" },
  selected: { color: "#10233d", backgroundColor: "#d5e5f8" },
  match: { color: "#0b5fb0", bold: true, underline: true },
  chip: { color: "#0d6b5a", italic: true },
  rule: { color: "#c3cad3" }
}

/** Weight and reverse video only: for `NO_COLOR`, and for terminals without. */
export const colourless: Theme = {
  quiet: {},
  faint: { dimColor: true },
  strong: { bold: true },
  italic: { italic: true },
  accent: {},
  title: { bold: true },
  user: { bold: true },
  event: {},
  code: {},
  good: {},
  warn: {},
  bad: { bold: true },
  selected: { inverse: true },
  match: { underline: true },
  chip: { italic: true },
  rule: { dimColor: true }
}

export type ThemeName = "auto" | "dark" | "light"

/** `background` is what the terminal has, as far as it is known. */
export const themeOf = (
  name: ThemeName,
  background: "dark" | "light" | undefined,
  hasColours: boolean
): Theme => {
  if (!hasColours) return colourless
  return (name === "auto" ? (background ?? "dark") : name) === "light" ? light : dark
}
