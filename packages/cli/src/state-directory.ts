/** Where Vigil keeps its state: `--state-dir`, else VIGIL_STATE_DIR, else the user's XDG state folder. */
import { Data, Effect, Option } from "effect"
import { Flag, GlobalFlag } from "effect/cli"
import { accessSync, constants, mkdirSync } from "node:fs"
import { homedir } from "node:os"
import { isAbsolute, join, resolve } from "node:path"

export const StateDirFlag = GlobalFlag.Setting("state-dir")({
  flag: Flag.String("state-dir").pipe(
    Flag.withMetavar("DIR"),
    Flag.withDescription("Where state is kept; else VIGIL_STATE_DIR, else ~/.local/state/vigil"),
    Flag.optional
  )
})

export class StateDirectoryUnusable extends Data.TaggedError("StateDirectoryUnusable")<{
  readonly stateDir: string
  readonly message: string
}> {}

export interface Place {
  readonly flag?: string
  readonly env: Readonly<Record<string, string | undefined>>
  readonly home: string
  readonly cwd: string
}

/** Absolute. A relative XDG_STATE_HOME does not count, as its specification says. */
export const stateDirectoryPath = ({ flag, env, home, cwd }: Place): string => {
  const named = flag || env["VIGIL_STATE_DIR"]
  if (named) return resolve(cwd, named)
  const xdg = env["XDG_STATE_HOME"]
  return join(xdg && isAbsolute(xdg) ? xdg : join(home, ".local", "state"), "vigil")
}

/** The one that this process was told to use. It may not exist yet. */
export const stateDirectory = Effect.gen(function* () {
  const flag = Option.getOrUndefined(yield* StateDirFlag)
  return stateDirectoryPath({
    env: process.env,
    home: homedir(),
    cwd: process.cwd(),
    ...(flag !== undefined && { flag })
  })
})

/** Makes it, for its user alone, or says why that can't be. */
export const makeStateDirectory = (stateDir: string) =>
  Effect.try({
    try: () => {
      mkdirSync(stateDir, { recursive: true, mode: 0o700 })
      accessSync(stateDir, constants.W_OK)
    },
    catch: (error) =>
      new StateDirectoryUnusable({
        stateDir,
        message: `The state directory ${stateDir} can't be used (${(error as NodeJS.ErrnoException).code ?? "error"}). Name another with --state-dir.`
      })
  })
