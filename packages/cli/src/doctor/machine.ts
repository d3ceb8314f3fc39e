/** What Vigil needs of the machine: versions, a shell, a parser, and a watchdog that really watches. */
import { Shell } from "@vigil/core/shell"
import { scan } from "@vigil/core/shell/command"
import { Effect, Layer, Option } from "effect"
import { spawnSync } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import packageJson from "../../package.json" with { type: "json" }
import { oneLine } from "../view/table.ts"
import { type Check, ok, warning, wrong } from "./check.ts"

const minBun = [1, 4] as const
const minNode = [20, 0] as const

export const versions = (): ReadonlyArray<Check> => [
  ok("vigil", `${packageJson.version}, on ${process.platform} ${process.arch}`),
  atLeast(Bun.version, minBun)
    ? ok("bun", Bun.version)
    : wrong("bun", Bun.version, `Install Bun ${minBun.join(".")} or newer`),
  nodeVersion(firstOutput("node", ["--version"]))
]

export const nodeVersion = (found: string | undefined): Check => {
  const version = found?.replace(/^v/u, "")
  if (version !== undefined && atLeast(version, minNode)) return ok("node", version)
  const mend = `Install Node ${minNode[0]} or newer, with which vigil is started from a checkout`
  return warning("node", version ?? "not on PATH", mend)
}

const atLeast = (version: string, [major, minor]: readonly [number, number]) => {
  const [have = 0, haveMinor = 0] = version.split(".").map((part) => Number.parseInt(part, 10))
  return have > major || (have === major && haveMinor >= minor)
}

/** Commands are written for bash. */
export const shell = (): Check => {
  const bash = Bun.which("bash")
  if (bash === null) {
    return warning("shell", "no bash; commands are run by sh", "Install bash: models write commands for it")
  }
  const version = firstOutput(bash, ["--version"])
  return version === undefined
    ? wrong("shell", `${bash} can't be started`, "Reinstall bash, or take it off PATH")
    : ok("shell", `${bash}: ${version}`)
}

/** Permission asks for a command by its parts, so they must be found. */
export const parser = (): Check => {
  const found = scan('git status && echo "$(date)" | tee a.log', {
    directory: "/work",
    home: "/home/x"
  }).subjects.map(({ value }) => value)
  const missing = ["git status", "date", "tee a.log"].filter((part) => !found.includes(part))
  return missing.length === 0
    ? ok("parser", "takes commands apart")
    : wrong("parser", `does not find ${missing.join(", ")}`, "Reinstall vigil")
}

/** A shell of its own, which writes nothing to the state directory. */
export const shellLayer = Layer.unwrap(
  Effect.map(
    Effect.acquireRelease(
      Effect.sync(() => mkdtempSync(join(tmpdir(), "vigil-doctor-"))),
      (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
    ),
    (stateDir) => Shell.layer({ stateDir })
  )
)

/** A real command behind its gate, and the watchdog's word for its group. */
export const watchdog: Effect.Effect<Check, never, Shell> = Effect.suspend(() => tried).pipe(
  Effect.scoped,
  Effect.timeoutOption("10 seconds"),
  Effect.map(Option.getOrElse(() => silent("did not come to its end in 10 seconds"))),
  Effect.catchDefect((defect) =>
    Effect.succeed(
      silent(`breaks: ${oneLine(defect instanceof Error ? defect.message : String(defect), 200)}`)
    )
  )
)

const tried = Effect.gen(function* () {
  const shell = yield* Shell
  let said = ""
  const process = yield* shell.spawn({
    command: "echo here; exit 3",
    cwd: "/",
    env: { PATH: Bun.env["PATH"] ?? "/usr/bin:/bin" },
    onStdout: (bytes) => void (said += new TextDecoder().decode(bytes)),
    onStderr: () => {}
  })
  const pid = yield* shell.watchdogPid
  yield* process.open
  const { exitCode } = yield* process.ended
  return pid !== undefined && exitCode === 3 && said === "here\n"
    ? ok("watchdog", "runs, and confirms what it watches")
    : silent(`a command came to ${exitCode ?? "no exit code"} and said ${JSON.stringify(said)}`)
}).pipe(Effect.catchTag("SpawnFailed", ({ message }) => Effect.succeed(silent(message))))

const silent = (text: string) =>
  wrong(
    "watchdog",
    text,
    "No command can be run without it: see that /bin/sh works and processes may be started"
  )

/** The first line that a program prints; nothing where it can't be run. */
const firstOutput = (program: string, args: ReadonlyArray<string>): string | undefined => {
  const { status, stdout } = spawnSync(program, args, {
    encoding: "utf8",
    timeout: 5_000,
    stdio: ["ignore", "pipe", "ignore"]
  })
  return status === 0 ? oneLine(stdout.split("\n")[0] ?? "", 100) : undefined
}
