/** Server-sent events, frame by frame. */

export interface Frame {
  readonly id?: string
  /** Absent where the frame shows only that the server lives, or how far it is. */
  readonly data?: string
  /** When to come back, in ms. */
  readonly retry?: number
}

/** Characters of one frame: several times the most that the server puts into one. */
export const maxFrame = 16 * 1_048_576

/** A frame that goes on and on is no frame of the feed. */
export class FrameTooLong extends Error {
  override readonly name = "FrameTooLong"

  constructor() {
    super(`A frame of the feed is longer than ${maxFrame} characters`)
  }
}

/**
 * Cuts text, in whatever pieces it comes, into frames. A comment is an empty frame of its own, so that a sign of life
 * is not held back until a frame ends.
 */
export const frameReader = () => {
  let unfinished: Array<string> = []
  let afterReturn = false
  let size = 0
  let frame: { id?: string; data?: string; retry?: number } | undefined

  /** A line that has ended; the frame, if it ended with it. */
  const take = (line: string): Frame | undefined => {
    if (line === "") {
      const whole = frame
      frame = undefined
      size = 0
      return whole
    }
    const colon = line.indexOf(":")
    if (colon === 0) {
      size -= line.length
      return {}
    }
    const name = colon < 0 ? line : line.slice(0, colon)
    const value = colon < 0 ? "" : line.slice(line[colon + 1] === " " ? colon + 2 : colon + 1)
    frame ??= {}
    if (name === "data") frame.data = frame.data === undefined ? value : `${frame.data}\n${value}`
    else if (name === "id") frame.id = value
    else if (name === "retry" && /^\d{1,9}$/u.test(value)) frame.retry = Number(value)
    return undefined
  }

  /** The frames that end in `text`. Throws FrameTooLong. */
  return function* (text: string): Generator<Frame, void> {
    let from = afterReturn && text.startsWith("\n") ? 1 : 0
    if (text !== "") afterReturn = text.endsWith("\r")
    const lineEnd = /\r\n?|\n/gu
    lineEnd.lastIndex = from
    for (let found = lineEnd.exec(text); found; found = lineEnd.exec(text)) {
      const line = unfinished.join("") + text.slice(from, found.index)
      unfinished = []
      size += found.index - from
      from = lineEnd.lastIndex
      if (size > maxFrame) throw new FrameTooLong()
      const whole = take(line)
      if (whole) yield whole
    }
    if (from < text.length) unfinished.push(text.slice(from))
    size += text.length - from
    if (size > maxFrame) throw new FrameTooLong()
  }
}
