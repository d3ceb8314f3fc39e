/** A vigil whose user sits at a terminal: what is typed, and what is seen. */
import { dirname, join } from "node:path"
import type { World } from "./cli.ts"

const main = join(dirname(dirname(import.meta.dir)), "src", "main.ts")

export interface AtTerminal {
  /** Until the screen has shown the text. */
  readonly seen: (text: string) => Promise<void>
  readonly type: (text: string) => void
  /** The exit code, and all that was ever shown. */
  readonly ended: Promise<{ readonly code: number; readonly screen: string }>
}

export const atTerminal = (
  { home, project }: World,
  args: ReadonlyArray<string>,
  env: Readonly<Record<string, string>> = {}
): AtTerminal => {
  const decoder = new TextDecoder()
  const waiting = new Set<() => void>()
  let screen = ""
  let over = false
  const look = () => {
    for (const check of waiting) check()
  }
  const child = Bun.spawn([process.execPath, main, ...args], {
    cwd: project,
    env: { PATH: process.env["PATH"], HOME: home, TERM: "xterm", ...env },
    terminal: {
      cols: 200,
      rows: 50,
      data: (_, bytes) => {
        screen += decoder.decode(bytes, { stream: true })
        look()
      }
    }
  })
  const { terminal } = child
  if (terminal === undefined) throw new Error("There is no terminal")
  return {
    seen: (text) =>
      new Promise((resolve, reject) => {
        const check = () => {
          if (screen.includes(text)) resolve()
          else if (over) reject(new Error(`It ended without showing ${JSON.stringify(text)}:\n${screen}`))
          else return
          waiting.delete(check)
        }
        waiting.add(check)
        check()
      }),
    type: (text) => void terminal.write(text),
    ended: child.exited.then((code) => {
      over = true
      look()
      terminal.close()
      return { code, screen }
    })
  }
}
