import { expect, test } from "bun:test"
import { type Frame, FrameTooLong, frameReader, maxFrame } from "../src/sse.ts"

const framesOf = (...pieces: ReadonlyArray<string>): ReadonlyArray<Frame> => {
  const read = frameReader()
  return pieces.flatMap((piece) => [...read(piece)])
}

test("a frame has its id, its data and when to come back", () => {
  expect(framesOf("id: 7\ndata: a\ndata:b\ndata:  c\n\nretry: 500\n\n")).toEqual([
    { id: "7", data: "a\nb\n c" },
    { retry: 500 }
  ])
})

test("a frame with only an id is one, and so is a comment, which has nothing", () => {
  expect(framesOf("id: 9\n\n: still here\n\n")).toEqual([{ id: "9" }, {}])
})

test("what has not ended is no frame yet", () => {
  expect(framesOf("data: half\n")).toEqual([])
  expect(framesOf("data: half\n", "\n")).toEqual([{ data: "half" }])
})

test("fields of other names, and a retry that is no number, change nothing", () => {
  expect(framesOf("event: x\nunknown\nretry: soon\ndata: a\n\n")).toEqual([{ data: "a" }])
})

test("the same frames come out wherever the text is cut, and however its lines end", () => {
  const text = "id: 1\ndata: größer 🐢\n\n: here\n\nid: 2\ndata: x\ndata: y\n\nretry: 3\n\n"
  const whole = framesOf(text)
  for (const lineEnd of ["\n", "\r\n", "\r"]) {
    const written = text.replaceAll("\n", lineEnd)
    // A bare return at the very end may be half of a line end.
    const [ended, expected] = lineEnd === "\r" ? [`${written}:\n`, [...whole, {}]] : [written, whole]
    for (let cut = 0; cut <= ended.length; cut++) {
      expect(framesOf(ended.slice(0, cut), ended.slice(cut))).toEqual(expected)
    }
    expect(framesOf(...ended)).toEqual(expected)
  }
})

test("a frame without end is refused, as one line and as many", () => {
  const piece = "x".repeat(maxFrame / 4)
  expect(() => framesOf("data: ", piece, piece, piece, piece)).toThrow(FrameTooLong)
  const lines = `data: ${"x".repeat(maxFrame / 4)}\n`
  expect(() => framesOf(lines, lines, lines, lines)).toThrow(FrameTooLong)
})

test("signs of life between the lines of a frame do not add up to one without end", () => {
  const read = frameReader()
  const comment = `:${" ".repeat(maxFrame / 4)}\n`
  for (let beat = 0; beat < 8; beat++) expect([...read(comment)]).toEqual([{}])
})
