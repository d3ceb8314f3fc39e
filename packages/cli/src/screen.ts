/** What people and pipes see: results on stdout, progress on stderr, and one line of what goes on right now. */
import { Context, Effect, Layer } from "effect"
import { type Paint, paintFor } from "./view/paint.ts"
import { oneLine } from "./view/table.ts"

export interface Side {
  readonly isTerminal: boolean
  /** How wide the terminal is; nothing where there is none. */
  readonly columns?: number | undefined
  readonly paint: Paint
}

export class Screen extends Context.Service<
  Screen,
  {
    readonly stdout: Side
    readonly stderr: Side
    /** A result: text and a newline on stdout. */
    print(text: string): Effect.Effect<void>
    /** The same without the newline. */
    printRaw(text: string): Effect.Effect<void>
    /** Progress: text and a newline on stderr. */
    tell(text: string): Effect.Effect<void>
    /** The last line of a terminal, until something else is written; nowhere else anything. */
    status(text: string | undefined): Effect.Effect<void>
    /** Until all has been handed to the system. */
    readonly flush: Effect.Effect<void>
  }
>()("cli/Screen") {
  static readonly layer = Layer.sync(Screen, () => {
    const { stdout, stderr, env } = process
    const pending = new Set<Promise<void>>()
    let shown: string | undefined

    const write = (stream: NodeJS.WriteStream, text: string) => {
      if (text === "") return
      const written = new Promise<void>((resolve) => stream.write(text, () => resolve()))
      pending.add(written)
      void written.then(() => pending.delete(written))
    }

    const show = (text: string | undefined) => {
      if (!stderr.isTTY || text === shown) return
      shown = text
      const line = text === undefined ? "" : oneLine(text, Math.max(20, (stderr.columns || 80) - 1))
      write(stderr, `\r\u001b[2K${line}`)
    }

    /** Nothing is written into the status line. */
    const above = (stream: NodeJS.WriteStream, text: string) => {
      const status = shown
      show(undefined)
      write(stream, text)
      show(status)
    }

    const side = (stream: NodeJS.WriteStream): Side => ({
      isTerminal: stream.isTTY,
      columns: stream.isTTY ? stream.columns || 80 : undefined,
      paint: paintFor({ env, isTerminal: stream.isTTY })
    })

    return Screen.of({
      stdout: side(stdout),
      stderr: side(stderr),
      print: (text) => Effect.sync(() => above(stdout, `${text}\n`)),
      printRaw: (text) => Effect.sync(() => above(stdout, text)),
      tell: (text) => Effect.sync(() => above(stderr, `${text}\n`)),
      status: (text) => Effect.sync(() => show(text)),
      flush: Effect.promise(async () => {
        while (pending.size > 0) await Promise.all(pending)
      })
    })
  })
}
