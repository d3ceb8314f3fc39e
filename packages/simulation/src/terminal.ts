/**
 * A real terminal to look at: a shell in a tmux server of its own, which ends with it.
 *
 * What is on the screen is waited for; only its end within a bound makes a wait fail, with the screen in the error.
 */
import { randomBytes } from "node:crypto"
import { writeFileSync } from "node:fs"
import { join } from "node:path"

export interface TerminalOptions {
  readonly columns: number
  readonly rows: number
  readonly cwd: string
  /** All that its shell has, besides what tmux adds. */
  readonly env: Readonly<Record<string, string>>
  /** Longer no wait lasts. */
  readonly patienceMs?: number
}

export interface Terminal extends AsyncDisposable {
  /** By tmux's names, such as `C-t`, `Enter`, `Escape`. */
  readonly press: (...keys: ReadonlyArray<string>) => Promise<void>
  readonly type: (text: string) => Promise<void>
  /** As a terminal pastes: bracketed, where the program asks for that. */
  readonly paste: (text: string) => Promise<void>
  readonly resize: (columns: number, rows: number) => Promise<void>
  /** What is seen now, without trailing spaces; `styled` has those, and colours as escape sequences. */
  readonly screen: (styled?: "styled") => Promise<string>
  /** Until all of these are seen at once: the screen then. */
  readonly shows: (...wanted: ReadonlyArray<string | RegExp>) => Promise<string>
  /** Until it is seen no more. */
  readonly lacks: (text: string | RegExp) => Promise<string>
  /** A variable of tmux's pane, such as `alternate_on`. */
  readonly fact: (name: string) => Promise<string>
}

const lookMs = 50
const onlyPrompt = "$ "

export const openTerminal = async (options: TerminalOptions): Promise<Terminal> => {
  const { columns, rows, cwd, env, patienceMs = 60_000 } = options
  const name = `vigil-${randomBytes(6).toString("hex")}`

  const tmux = async (...args: ReadonlyArray<string>): Promise<string> => {
    const child = Bun.spawn(["tmux", "-L", name, "-f", "/dev/null", ...args], {
      env: { PATH: process.env["PATH"], ...env, LC_ALL: "C.UTF-8" },
      stdio: ["ignore", "pipe", "pipe"]
    })
    const [out, problem, code] = await Promise.all([
      new Response(child.stdout).text(),
      new Response(child.stderr).text(),
      child.exited
    ])
    if (code !== 0) throw new Error(`tmux ${args[0]}: ${problem.trim()}`)
    return out
  }

  const shell = ["-x", String(columns), "-y", String(rows), "-c", cwd, `PS1='${onlyPrompt}' exec sh -i`]
  await tmux("new-session", "-d", ...shell)
  await tmux("set-option", "-g", "window-size", "manual")
  // As most terminals say, and tmux does not unless told: it shows 24-bit colours.
  await tmux("set-option", "-g", "default-terminal", "tmux-256color")

  const screen = (styled?: "styled") => tmux("capture-pane", "-p", ...(styled ? ["-e", "-N"] : []))

  const until = async (what: string, holds: (seen: string) => boolean): Promise<string> => {
    const end = performance.now() + patienceMs
    for (;;) {
      const seen = await screen()
      if (holds(seen)) return seen
      if (performance.now() > end) throw new Error(`The screen never ${what}:\n${seen}`)
      await Bun.sleep(lookMs)
    }
  }

  const has = (seen: string, wanted: string | RegExp) =>
    typeof wanted === "string" ? seen.includes(wanted) : wanted.test(seen)

  return {
    press: async (...keys) => void (await tmux("send-keys", ...keys)),
    type: async (text) => void (await tmux("send-keys", "-l", text)),
    paste: async (text) => {
      const file = join(cwd, `.paste-${name}`)
      writeFileSync(file, text)
      await tmux("load-buffer", file)
      await tmux("paste-buffer", "-p", "-d")
    },
    resize: async (wide, high) => void (await tmux("resize-window", "-x", String(wide), "-y", String(high))),
    screen,
    shows: (...wanted) =>
      until(`showed ${wanted.map(String).join(" and ")}`, (seen) => wanted.every((one) => has(seen, one))),
    lacks: (text) => until(`lost ${String(text)}`, (seen) => !has(seen, text)),
    fact: async (variable) => (await tmux("display-message", "-p", `#{${variable}}`)).trim(),
    [Symbol.asyncDispose]: async () => {
      await tmux("kill-server").catch(() => "")
    }
  }
}
