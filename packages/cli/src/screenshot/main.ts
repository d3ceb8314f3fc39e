/**
 * The terminal UI as a picture: a run of the demo's story in tmux, seen while its monitor is still at work.
 *
 *   npm run screenshot        writes docs/vigil.svg
 */
import { demoScript } from "@vigil/simulation/demo"
import { startSimulation } from "@vigil/simulation/server"
import { openTerminal, type Terminal } from "@vigil/simulation/terminal"
import { Effect } from "effect"
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { failedAtMs, play, prepare } from "../demo/ci.ts"
import { svgOf } from "./svg.ts"

const source = dirname(import.meta.dir)
const picture = join(source, "..", "..", "..", "docs", "vigil.svg")
const size = { columns: 100, rows: 38 }
const key = "no-key-needed"

/** Seen in the picture, and so the same each time: who else has it is not overwritten. */
const home = join(tmpdir(), "vigil-screenshot")
const project = join(home, "shop")

const furnish = () => {
  const settings = join(home, ".config", "vigil")
  const bin = join(home, "bin")
  for (const folder of [project, settings, bin]) mkdirSync(folder, { recursive: true })
  prepare(project)
  writeFileSync(
    join(settings, "vigil.json"),
    JSON.stringify({ model: "anthropic/scripted", theme: "dark", monitor: { killGraceMs: 100 } })
  )
  const vigil = join(bin, "vigil")
  writeFileSync(vigil, `#!/bin/sh\nexec '${process.execPath}' '${join(source, "main.ts")}' "$@"\n`)
  chmodSync(vigil, 0o755)
  return bin
}

const tellStory = async (terminal: Terminal) => {
  await terminal.type("vigil")
  await terminal.press("Enter")
  await terminal.shows("What shall be done, or watched?")
  await terminal.type("Watch CI run 42, and tell me what fails")
  await terminal.press("Enter")
  await terminal.shows("May write do this?")
  await terminal.press("Enter")
  await terminal.shows("May monitor do this?")
  await terminal.press("Enter")
  await terminal.shows("I watch the run now", "1 monitor")
  await Effect.runPromise(play(project, failedAtMs))
  await terminal.shows("The reason:")
  await terminal.press("C-t")
  await terminal.shows("1 running · 0 ended", "shard-2: failure", "The reason:")
}

/** With its monitor. A picture that failed leaves none either. */
const endServer = async () => {
  const file = join(home, ".local", "state", "vigil", "server.json")
  if (!existsSync(file)) return
  const { pid } = JSON.parse(readFileSync(file, "utf8")) as { readonly pid: number }
  while (signalled(pid)) await Bun.sleep(100)
}

/** Asked to end, again and again: false once it is gone. */
const signalled = (pid: number): boolean => {
  try {
    return process.kill(pid, "SIGTERM")
  } catch {
    return false
  }
}

mkdirSync(home)
const simulation = startSimulation({ script: demoScript, key })
try {
  const bin = furnish()
  const env = {
    PATH: `${bin}:${process.env["PATH"]}`,
    HOME: home,
    COLORTERM: "truecolor",
    ANTHROPIC_API_KEY: key,
    ANTHROPIC_BASE_URL: simulation.url
  }
  await using terminal = await openTerminal({ ...size, cwd: project, env })
  await tellStory(terminal)
  writeFileSync(picture, svgOf(await terminal.screen("styled"), size))
} finally {
  await endServer()
  await simulation.stop()
  rmSync(home, { recursive: true, force: true })
}
