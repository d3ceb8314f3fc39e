/**
 * Processes: each starts behind a gate, is watched from before its first instruction, and is killed whole.
 *
 * The one place of the house that works with real time and promises: what kills must not depend on a virtual clock.
 */
import { Context, Effect, Layer, Schema, type Scope } from "effect"
import { startGated } from "./shell/gate.ts"
import { recoverLeftovers, writeServerState } from "./shell/leftovers.ts"
import { makeProcessMark, makeServerMark } from "./shell/marks.ts"
import { isLinux, statOf } from "./shell/proc.ts"
import { GatedProcess, type ProcessEnd } from "./shell/process.ts"
import { startReaping } from "./shell/reap.ts"
import { closed, explain, foresee, type Refusal, refusalReasons, unwatched } from "./shell/refusal.ts"
import { type Survivors, sweep } from "./shell/sweep.ts"
import { Watchdog } from "./shell/watchdog.ts"

export type { ProcessEnd } from "./shell/process.ts"
export type { Survivors } from "./shell/sweep.ts"

export interface Process {
  /** Of the command itself, and the number of its group. */
  readonly pid: number
  /** Lets the command begin; until then nothing of it ran. Does nothing after `stop`. */
  readonly open: Effect.Effect<void>
  /**
   * How it ended, once its output is complete or was given up. An exit with all outputs ended and nobody left in
   * the group is told at once, before the sweep. Any other after the group is killed and the sweep is done.
   */
  readonly ended: Effect.Effect<ProcessEnd>
  /** The sweep after the end. With `leaveDaemons` it kills nobody and names who stayed. */
  readonly swept: Effect.Effect<Survivors>
  /**
   * TERM to the group, `graceMs` (500), KILL, sweep; resolves as `ended`. Several stops are one, with the shortest
   * grace. Before `open` the command never starts. After an end that left daemons it kills them. Interrupting the
   * caller does not undo it.
   */
  stop(graceMs?: number): Effect.Effect<ProcessEnd>
}

export interface SpawnOptions {
  readonly command: string
  readonly cwd: string
  /** All of it: nothing is inherited from the server but the marks of servers around it. */
  readonly env: Record<string, string>
  /**
   * Called synchronously, in arrival order; the bytes are the receiver's own. Must not throw: one that does is called no
   * more, and its command is killed.
   */
  readonly onStdout: (bytes: Uint8Array) => void
  readonly onStderr: (bytes: Uint8Array) => void
  /**
   * What left the group stays when the command ends by itself, until `stop` or the server's end. Members of the
   * group are killed all the same.
   */
  readonly leaveDaemons?: boolean
}

/** The command was not started. `message` says what a person can do about it. */
export class SpawnFailed extends Schema.TaggedError<SpawnFailed>()("SpawnFailed", {
  reason: Schema.Literals(refusalReasons),
  cwd: Schema.String,
  message: Schema.String
}) {}

export interface ShellOptions {
  /** Where one small file tells the next server what to clean up, if this one and its watchdog are killed together. */
  readonly stateDir: string
  /** Runs gates and the watchdog. `/bin/sh` */
  readonly sh?: string
  /** Runs commands. Bash where it is, else `sh` */
  readonly shell?: string
  /** Whether limits serve as a second mark. `true` */
  readonly rssMark?: boolean
  /** Whether commands get pipes rather than sockets, where that can be done. `true` */
  readonly realPipes?: boolean
}

export class Shell extends Context.Service<
  Shell,
  {
    /** Behind its gate, and known to the watchdog. Closing the scope stops it and waits for its sweep. */
    spawn(options: SpawnOptions): Effect.Effect<Process, SpawnFailed, Scope.Scope>
    /** `bash` or `sh`: what commands are run by. */
    readonly name: string
    /** The watchdog's pid, while there is one. */
    readonly watchdogPid: Effect.Effect<number | undefined>
    /** Kills what provably dead servers left, once at start. Returns whom. */
    readonly recover: Effect.Effect<ReadonlyArray<number>>
  }
>()("core/Shell") {
  /** Closing it stops every process, sweeps all that ever came from here, and ends the watchdog. */
  static readonly layer = (options: ShellOptions) => Layer.effect(Shell, make(options))
}

const make = Effect.fnUntraced(function* (options: ShellOptions) {
  const services = yield* Effect.context()
  const sh = options.sh ?? "/bin/sh"
  const shell = options.shell ?? Bun.which("bash") ?? sh
  const server = makeServerMark(options.rssMark ?? true)
  const processes = new Set<GatedProcess>()
  let closing = false

  // Before the first process: what is not written down can't be cleaned up.
  const forgetState = yield* Effect.sync(() => writeServerState(options.stateDir, server)).pipe(
    Effect.catchDefect((cause) =>
      Effect.logWarning(
        "Nothing will clean up if the server and its watchdog are killed together",
        cause
      ).pipe(Effect.as(() => {}))
    )
  )
  yield* Effect.acquireRelease(Effect.sync(startReaping), (end) => Effect.sync(end))
  const watchdog = yield* Effect.acquireRelease(
    Effect.sync(() => new Watchdog(sh, server)),
    (watchdog) =>
      Effect.promise(async () => {
        closing = true
        await Promise.all([...processes].map((process) => process.stop().then(() => process.swept)))
        await sweep(server)
        await watchdog.close()
        forgetState()
      })
  )

  const launch = (spawning: SpawnOptions) =>
    Effect.promise(async (): Promise<Launched | Refusal> => {
      const attempt = { ...spawning, sh, shell }
      const refusal = closing ? closed : foresee(attempt)
      if (refusal) return refusal
      const mark = makeProcessMark(server)
      const gated = startGated({ ...attempt, mark, realPipes: options.realPipes ?? true })
      if ("cause" in gated) return explain(await gated.cause, attempt)
      // In the same turn as the start, so that nothing can be missed or told in the wrong order.
      const process = new GatedProcess({
        gated,
        mark: mark.mark(isLinux ? (statOf(gated.pid)?.start ?? server.since) : 0),
        leaveDaemons: spawning.leaveDaemons ?? false,
        onStdout: spawning.onStdout,
        onStderr: spawning.onStderr,
        onFault: (error) =>
          void Effect.runForkWith(services)(
            Effect.logError("A receiver of output threw; its command is killed", error)
          ),
        onGroupGone: (group) => watchdog.forget(group)
      })
      processes.add(process)
      void process.ended.then(() => process.swept).then(() => processes.delete(process))
      return { process, confirmed: watchdog.register(gated.pid) }
    })

  const spawn = Effect.fn("Shell.spawn")(function* (spawning: SpawnOptions) {
    const fail = (refusal: Refusal) => new SpawnFailed({ ...refusal, cwd: spawning.cwd })
    const launched = yield* Effect.acquireRelease(launch(spawning), (launched) =>
      "reason" in launched ? Effect.void : Effect.promise(() => launched.process.close())
    )
    if ("reason" in launched) return yield* fail(launched)
    const { process } = launched
    if (!(yield* Effect.promise(() => launched.confirmed))) {
      yield* Effect.promise(() => process.stop(0))
      return yield* fail(unwatched)
    }
    return handle(process)
  })

  return Shell.of({
    spawn,
    name: shell.slice(shell.lastIndexOf("/") + 1),
    watchdogPid: Effect.sync(() => watchdog.pid),
    recover: Effect.promise(() => recoverLeftovers(options.stateDir))
  })
})

interface Launched {
  readonly process: GatedProcess
  readonly confirmed: Promise<boolean>
}

const handle = (process: GatedProcess): Process => ({
  pid: process.pid,
  open: Effect.sync(() => process.open()),
  ended: Effect.promise(() => process.ended),
  swept: Effect.promise(() => process.ended.then(() => process.swept)),
  stop: (graceMs) => Effect.promise(() => process.stop(graceMs))
})
