/** The screen, put together. Everything it shows comes from the state. */
/** @jsxRuntime classic @jsx React.createElement @jsxFrag React.Fragment */
import { Box, useCursor } from "ink"
import * as React from "react"
import { keyText } from "../keys.ts"
import { askRows } from "../state/asks.ts"
import { layoutOf, margin, transcriptSeen } from "../state/screen.ts"
import type { State } from "../state/shape.ts"
import { span, type Row } from "../text/row.ts"
import { themeOf } from "../theme.ts"
import { blocksOf } from "../transcript.ts"
import { type Place, composerView, reasonView, waitingRows } from "./composer.ts"
import { headerRows } from "./header.ts"
import { panelOf } from "./panel.ts"
import { Line, Rows, Themed } from "./rows.tsx"
import { statusRow } from "./status.ts"
import { welcomeRows } from "./welcome.ts"

/** The chat fills from the top, and then keeps its end at the bottom. */
const chatRows = (state: State, height: number): ReadonlyArray<Row> => {
  if (height === 0) return []
  if (state.session === undefined || state.session.messages.length === 0) {
    return state.opening ? [] : welcomeRows(state, height)
  }
  const { rows, atEnd } = transcriptSeen(state)
  if (state.reading === undefined || atEnd) return rows
  const isNewer = blocksOf(state.session).at(-1)?.id !== state.reading.newest
  const below = span(isNewer ? "↓ more has come" : "↓ more below", isNewer ? "accent" : "faint")
  return [
    ...rows.slice(0, height - 1),
    [below, span(` · ${keyText(state.bindings, "scroll.end")} goes there`, "faint")]
  ]
}

export const App = ({ state }: { readonly state: State }) => {
  const { setCursorPosition } = useCursor()
  const layout = layoutOf(state)
  const theme = themeOf(state.theme, state.background, state.hasColours)
  const { overlays } = state
  const top = overlays.at(-1)
  const front = top?.type === "confirm" && overlays.length > 1 ? overlays.at(-2) : top
  const panel = front && panelOf(state, front, layout.panel)
  const composer = front === undefined ? composerView(state, layout.composer) : undefined
  const reason = reasonView(state)
  const asked = askRows(state)
  const ask =
    reason === undefined ? asked.slice(0, layout.ask) : [...asked.slice(0, layout.ask - 1), reason.row]

  const above = layout.header + layout.transcript + layout.gap
  const at = (place: Place | undefined, from: number) =>
    place && { x: place.x + margin, y: Math.min(place.y + from, state.screen.rows - 2) }
  setCursorPosition(
    top?.type === "confirm"
      ? undefined
      : panel !== undefined
        ? at(panel.cursor, above)
        : reason !== undefined
          ? at({ x: reason.x, y: layout.ask - 1 }, above)
          : at(composer?.cursor, above + layout.ask + layout.waiting)
  )

  return (
    <Themed.Provider value={theme}>
      <Box flexDirection="column" width={state.screen.columns} height={state.screen.rows} overflow="hidden">
        <Rows rows={headerRows(state, layout.header)} height={layout.header} />
        <Rows rows={chatRows(state, layout.transcript)} height={layout.transcript + layout.gap} />
        {panel === undefined ? (
          <>
            <Rows rows={ask} height={layout.ask} />
            <Rows rows={waitingRows(state, layout.waiting)} height={layout.waiting} />
            <Rows rows={composer?.rows ?? []} height={layout.composer + 2} />
          </>
        ) : (
          <Rows rows={panel.rows} height={layout.panel} />
        )}
        <Box paddingX={margin} height={1} flexShrink={0}>
          <Line row={statusRow(state)} />
        </Box>
      </Box>
    </Themed.Provider>
  )
}
