/** What tmux captured with its colours, as an SVG that needs nothing but a monospaced font. Pure. */

interface Style {
  readonly color?: string
  readonly background?: string
  readonly bold?: boolean
  readonly dim?: boolean
  readonly italic?: boolean
  readonly underline?: boolean
  readonly inverse?: boolean
}

interface Span {
  readonly style: Style
  readonly column: number
  readonly width: number
  readonly text: string
}

const paper = "#0e131b"
const ink = "#d7dee8"
const cell = { width: 8.4, height: 19 }
const padding = 18

/** The first sixteen, as the picture's theme has them. */
const palette = [
  ["#39424e", "#ff8a80", "#7fd88f", "#f2c66d", "#7cc4ff", "#c3a6ff", "#8fd6c2", "#d7dee8"],
  ["#697386", "#ffaaa3", "#a1e6ad", "#f7d995", "#a5d6ff", "#d8c5ff", "#b2e5d7", "#f4f7fb"]
].flat()

const flags: Readonly<Record<number, Style>> = {
  1: { bold: true },
  2: { dim: true },
  3: { italic: true },
  4: { underline: true },
  7: { inverse: true },
  22: { bold: false, dim: false },
  23: { italic: false },
  24: { underline: false },
  27: { inverse: false }
}

/** The style after a sequence of numbers, such as `1;38;2;124;196;255`. */
const styled = (before: Style, sequence: string): Style => {
  const codes = sequence === "" ? [0] : sequence.split(";").map(Number)
  let style = before
  while (codes.length > 0) {
    const code = codes.shift()!
    if (code === 0) style = {}
    else if (code === 38 || code === 48) {
      const color = longColor(codes)
      style = { ...style, ...(code === 38 ? { color } : { background: color }) }
    } else if (code === 39 || code === 49) {
      const { color, background, ...rest } = style
      style = { ...rest, ...(code === 39 ? background && { background } : color && { color }) }
    } else if (flags[code] !== undefined) style = { ...style, ...flags[code] }
    else if (code >= 30 && code <= 37) style = { ...style, color: palette[code - 30]! }
    else if (code >= 90 && code <= 97) style = { ...style, color: palette[code - 82]! }
    else if (code >= 40 && code <= 47) style = { ...style, background: palette[code - 40]! }
  }
  return style
}

/** Of 24 bits, or of the table of 256; takes its numbers away. */
const longColor = (codes: Array<number>): string => {
  const hex = (parts: ReadonlyArray<number>) =>
    `#${parts.map((part) => part.toString(16).padStart(2, "0")).join("")}`
  if (codes.shift() === 2) return hex(codes.splice(0, 3))
  const index = codes.shift() ?? 0
  if (index < 16) return palette[index]!
  if (index >= 232) return hex(Array.from({ length: 3 }, () => 8 + (index - 232) * 10))
  const level = (part: number) => (part === 0 ? 0 : 55 + part * 40)
  const at = index - 16
  return hex([Math.floor(at / 36), Math.floor(at / 6) % 6, at % 6].map(level))
}

/** A style lasts until it changes, also over the ends of lines. */
const spansOf = (captured: string): ReadonlyArray<ReadonlyArray<Span>> => {
  let style: Style = {}
  return captured.split("\n").map((line) => {
    const spans: Array<Span> = []
    let column = 0
    for (const [index, piece] of line.split(/\u001b\[([\d;]*)m/u).entries()) {
      if (index % 2 === 1) style = styled(style, piece)
      else if (piece !== "") {
        const width = Bun.stringWidth(piece)
        spans.push({ style, column, width, text: piece })
        column += width
      }
    }
    return spans
  })
}

const escaped = (text: string) =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;")

const rounded = (length: number) => String(Math.round(length * 10) / 10)

const drawn = ({ style, column, width, text }: Span, row: number): string => {
  const { bold, dim, italic, underline, inverse } = style
  const color = (inverse ? style.background : style.color) ?? (inverse ? paper : ink)
  const background = inverse ? (style.color ?? ink) : style.background
  const [left, top] = [padding + column * cell.width, padding + row * cell.height]
  const box =
    background === undefined
      ? ""
      : `<rect x="${rounded(left)}" y="${rounded(top)}" width="${rounded(width * cell.width)}" height="${cell.height}" fill="${background}" shape-rendering="crispEdges"/>`
  const words = text.trim()
  if (words === "") return box
  const indent = text.length - text.trimStart().length
  const looks = [
    `fill="${color}"`,
    ...(bold ? ['font-weight="600"'] : []),
    ...(dim ? ['opacity="0.6"'] : []),
    ...(italic ? ['font-style="italic"'] : []),
    ...(underline ? ['text-decoration="underline"'] : [])
  ]
  const place = `x="${rounded(left + indent * cell.width)}" y="${rounded(top + cell.height * 0.74)}"`
  // Whatever font there is, columns stay columns.
  const length = `textLength="${rounded(Bun.stringWidth(words) * cell.width)}"`
  return `${box}<text ${place} ${length} ${looks.join(" ")}>${escaped(words)}</text>`
}

export const svgOf = (
  captured: string,
  { columns, rows }: { readonly columns: number; readonly rows: number }
): string => {
  const [width, height] = [columns * cell.width, rows * cell.height].map((side) =>
    rounded(side + 2 * padding)
  )
  const fonts = "ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace"
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" font-family="${fonts}" font-size="14" xml:space="preserve" role="img">`,
    "<title>Vigil's terminal UI: a CI run is watched, and a shard that fails is explained</title>",
    `<rect width="${width}" height="${height}" rx="10" fill="${paper}"/>`,
    ...spansOf(captured.trimEnd()).flatMap((spans, row) => {
      const line = spans.map((span) => drawn(span, row)).join("")
      return line === "" ? [] : [line]
    }),
    "</svg>",
    ""
  ].join("\n")
}
