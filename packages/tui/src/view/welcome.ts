/** The chat before anything was said: what this is, or what is missing so that it can be used. Pure. */
import { keyText } from "../keys.ts"
import { hasModel } from "../state/lists.ts"
import { innerWidth, missingProviders } from "../state/screen.ts"
import type { State } from "../state/shape.ts"
import { blank, clip, type Row, span } from "../text/row.ts"
import { oneLine } from "../text/visible.ts"
import { wrap } from "../text/wrap.ts"

export const welcomeRows = (state: State, height: number): ReadonlyArray<Row> => {
  const width = innerWidth(state)
  const rows = hasModel(state) ? greeting(state, width) : missingModel(state, width)
  const above = Math.max(0, Math.floor((height - rows.length) / 3))
  return [...Array.from({ length: above }, () => blank), ...rows].slice(0, height)
}

const greeting = ({ bindings, models }: State, width: number): ReadonlyArray<Row> => {
  const { why } = models.type === "failed" ? models : { why: undefined }
  const key = (id: Parameters<typeof keyText>[1], what: string): Row => {
    const text = keyText(bindings, id)
    return [span(`  ${text.padEnd(8)}`, "accent"), span(clip(what, width - 10), "quiet")]
  }
  return [
    [span("An agent that watches, so that you need not.", "strong")],
    blank,
    ...wrap(
      "Ask for something to be watched: a build, a log, a test run. The agent goes quiet and wakes when it prints.",
      width,
      "quiet"
    ),
    blank,
    key("palette.open", "all commands"),
    key("tasks.open", "what runs in the background"),
    key("sessions.open", "other sessions"),
    key("help.open", "all keys"),
    ...(why === undefined ? [] : [blank, ...wrap(oneLine(why), width, "bad")])
  ]
}

const missingModel = (state: State, width: number): ReadonlyArray<Row> => [
  [span("No model can be asked yet.", "strong")],
  blank,
  ...wrap(
    "One of these is needed, in the environment that the server was started with, or by vigil auth login:",
    width,
    "quiet"
  ),
  blank,
  ...missingProviders(state).flatMap(({ provider, missing }) => {
    const name = oneLine(provider)
    return wrap(`${name.padEnd(12)} ${oneLine(missing)}`, width - 2).map((row, index): Row => [
      span(index === 0 ? "  " : "    "),
      ...row
    ])
  }),
  blank,
  ...(state.hasDemo
    ? wrap(
        `Or try everything without a key: ${keyText(state.bindings, "palette.open")}, then “Try the demo model”.`,
        width,
        "accent"
      )
    : [])
]
