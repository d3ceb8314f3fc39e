/** The screen of a state: its text, and how each cell looks. */
export { depth } from "./colour.ts"
import { renderToString } from "ink"
import * as React from "react"
import { App } from "../../src/view/app.tsx"
import type { State } from "../../src/state/shape.ts"

/** With colours. */
export const painted = (state: State): string =>
  renderToString(<App state={state} />, { columns: state.screen.columns })

const sequence = /\u001b\[([\d;]*)m/gu

export const textOf = (frame: string): string => frame.replace(sequence, "")

const groups: ReadonlyArray<readonly [RegExp, string]> = [
  [/^38;2;(\d+);(\d+);(\d+)/u, "fg"],
  [/^48;2;(\d+);(\d+);(\d+)/u, "bg"]
]

const hex = (numbers: ReadonlyArray<string>) =>
  `#${numbers.map((n) => Number(n).toString(16).padStart(2, "0")).join("")}`

const flags: Readonly<Record<string, string>> = {
  1: "bold",
  2: "dim",
  3: "italic",
  4: "underline",
  7: "inverse"
}
const ends: Readonly<Record<string, ReadonlyArray<string>>> = {
  22: ["bold", "dim"],
  23: ["italic"],
  24: ["underline"],
  27: ["inverse"],
  39: ["fg"],
  49: ["bg"]
}

/** Applies one SGR sequence to what holds. */
const applied = (style: Map<string, string>, codes: string) => {
  let rest = codes === "" ? "0" : codes
  while (rest !== "") {
    const group = groups.find(([pattern]) => pattern.test(rest))
    if (group !== undefined) {
      const [whole, ...numbers] = group[0].exec(rest) ?? [""]
      style.set(group[1], hex(numbers))
      rest = rest.slice(whole.length + 1)
      continue
    }
    const [code = ""] = rest.split(";")
    if (code === "0") style.clear()
    for (const name of ends[code] ?? []) style.delete(name)
    const flag = flags[code]
    if (flag !== undefined) style.set(flag, "")
    rest = rest.slice(code.length + 1)
  }
}

const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"

/** A letter for each look, in the place of each character; `.` is plain text. */
const looksOf = (frame: string): { readonly grid: string; readonly legend: ReadonlyArray<string> } => {
  const known = new Map<string, string>()
  const style = new Map<string, string>()
  const letterOf = () => {
    const look = [...style]
      .map(([name, value]) => (value === "" ? name : `${name} ${value}`))
      .toSorted()
      .join(" ")
    if (look === "") return "."
    const letter = known.get(look) ?? letters[known.size] ?? "?"
    known.set(look, letter)
    return letter
  }
  let grid = ""
  let at = 0
  const put = (text: string) => {
    for (const character of text)
      grid +=
        character === "\n"
          ? "\n"
          : character === " " && !style.has("bg") && !style.has("inverse")
            ? " "
            : letterOf()
  }
  for (const found of frame.matchAll(sequence)) {
    put(frame.slice(at, found.index))
    applied(style, found[1] ?? "")
    at = found.index + found[0].length
  }
  put(frame.slice(at))
  return {
    grid: grid.replace(/[ ]+$/gmu, ""),
    legend: [...known].map(([look, letter]) => `${letter}  ${look}`)
  }
}

/** As it is committed: the text, then the looks in both themes. */
export const frameText = (state: State): string => {
  const dark = painted({ ...state, theme: "dark" })
  const light = painted({ ...state, theme: "light" })
  const parts = [
    textOf(dark),
    "",
    "=== dark ===",
    looksOf(dark).grid,
    "",
    ...looksOf(dark).legend,
    "",
    "=== light ==="
  ]
  const same = looksOf(dark).grid === looksOf(light).grid
  return [...parts, same ? "(the same cells)" : looksOf(light).grid, "", ...looksOf(light).legend, ""].join(
    "\n"
  )
}
