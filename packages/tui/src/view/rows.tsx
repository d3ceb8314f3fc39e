/** Rows of spans on the screen. A row that is the same object is not drawn again. */
/** @jsxRuntime classic @jsx React.createElement @jsxFrag React.Fragment */
import { Box, Text } from "ink"
import * as React from "react"
import { createContext, memo, useContext } from "react"
import type { Row } from "../text/row.ts"
import { dark, type Look, type Theme, type Tone } from "../theme.ts"

export const Themed = createContext<Theme>(dark)

/** Its own colour on the background of what is selected. */
const lookOf = (theme: Theme, tone: Tone | undefined, selected: true | undefined): Look => {
  const look = tone === undefined ? {} : theme[tone]
  return selected === undefined ? look : { ...theme.selected, ...look }
}

/** One row of the screen; what is too long is cut off. */
export const Line = memo(({ row }: { readonly row: Row }) => {
  const theme = useContext(Themed)
  // An empty text has no height.
  if (row.length === 0) return <Text> </Text>
  return (
    <Text wrap="truncate">
      {row.map(({ text, tone, selected }, index) =>
        tone === undefined && selected === undefined ? (
          text
        ) : (
          <Text key={index} {...lookOf(theme, tone, selected)}>
            {text}
          </Text>
        )
      )}
    </Text>
  )
})

interface RowsProps {
  readonly rows: ReadonlyArray<Row>
  /** Rows of the screen that it takes, whatever there is to show. */
  readonly height: number
  /** Cells that are left free at the side. */
  readonly margin?: number
}

export const Rows = ({ rows, height, margin = 1 }: RowsProps) => (
  <Box flexDirection="column" height={height} paddingX={margin} overflow="hidden" flexShrink={0}>
    {rows.slice(0, height).map((row, index) => (
      <Line key={index} row={row} />
    ))}
  </Box>
)
