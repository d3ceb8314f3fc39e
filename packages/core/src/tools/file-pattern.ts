/** Which files a glob pattern means. */
import { Effect } from "effect"
import { ToolFailed } from "../tool.ts"

const maxLength = 1_000

/**
 * A test for names seen from where the search begins. A pattern without a slash is held against the last part of a
 * name, wherever the file lies.
 */
export const filePattern = (pattern: string): Effect.Effect<(name: string) => boolean, ToolFailed> =>
  Effect.gen(function* () {
    if (pattern.trim() === "") return yield* new ToolFailed({ message: "The pattern is empty." })
    if (pattern.length > maxLength)
      return yield* new ToolFailed({ message: `The pattern is longer than ${maxLength} characters.` })
    if (pattern.startsWith("/") || /(?:^|\/)\.\.(?:\/|$)/u.test(pattern))
      return yield* new ToolFailed({
        message: `A pattern is seen from path and does not leave it. For other places give path, for example { "pattern": "**/*.conf", "path": "/etc" }.`
      })
    const plain = pattern.replace(/^(?:\.\/)+/u, "")
    const glob = new Bun.Glob(plain)
    return plain.includes("/")
      ? (name: string) => glob.match(name)
      : (name: string) => glob.match(name.slice(name.lastIndexOf("/") + 1))
  })
