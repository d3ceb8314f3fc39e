/** Text that people are asked to trust must show all that it holds. */
import { Schema } from "effect"

/** C0 and C1 controls but tab and newline, and the marks and overrides that reorder text (Unicode bidi). */
const hidden = String.raw`\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069`

/** Matches a character that a reader would not see, or that changes how others are seen. Tab and newline are fine. */
export const hiddenCharacter = new RegExp(`[${hidden}]`, "u")

/** Text without hidden characters. */
export const visible = (identifier: string, maxLength: number) =>
  bounded(maxLength)
    .check(
      Schema.isPattern(new RegExp(`^[^${hidden}]*$`, "u"), {
        expected: "text without control or bidirectional characters (tab and newline are allowed)"
      })
    )
    .annotate({ identifier })

/** The same on one line, and without tabs. */
export const visibleLine = (identifier: string, maxLength: number) =>
  bounded(maxLength)
    .check(
      Schema.isPattern(new RegExp(String.raw`^[^${hidden}\t\n]*$`, "u"), {
        expected: "one line of text without control or bidirectional characters"
      })
    )
    .annotate({ identifier })

const bounded = (maxLength: number) =>
  Schema.String.check(
    Schema.isNonEmpty({ expected: "some text" }),
    Schema.isMaxLength(maxLength, { expected: `at most ${maxLength} characters` })
  )
