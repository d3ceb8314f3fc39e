/**
 * Stands for the operating system: processes that print and end when a test says so. What it is told is recorded.
 *
 * Everything about time can then be tried under a virtual clock, with the rest of the system real.
 */
import { Context, Deferred, Effect, Layer, Queue } from "effect"
import { type ProcessEnd, Shell, SpawnFailed, type SpawnOptions, type Survivors } from "../../src/shell.ts"

export interface FakeExit {
  readonly code?: number
  readonly signal?: string
  /** Whom the sweep behind the end finds. `undecided` leaves that to `sweep`. */
  readonly survivors?: Partial<Survivors> | "undecided"
}

export interface FakeProcess {
  readonly pid: number
  readonly command: string
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  /** Whether its gate is open. */
  readonly opened: boolean
  /** The grace of each stop, in ms. */
  readonly stops: ReadonlyArray<number | undefined>
  /** Whether whoever started it has let go of it. */
  readonly closed: boolean
  print(...output: ReadonlyArray<string | Uint8Array>): void
  printError(output: string): void
  /** Once; what comes later is ignored. */
  exit(end?: FakeExit): void
  sweep(survivors?: Partial<Survivors>): void
}

export class FakeShell extends Context.Service<
  FakeShell,
  {
    /** All that were ever spawned, oldest first. */
    readonly processes: ReadonlyArray<FakeProcess>
    /** The next one that is spawned and was not taken yet. */
    readonly next: Effect.Effect<FakeProcess>
    /** What a process does; it obeys a stop where nothing else is set. */
    readonly behaviour: {
      onOpen?: (process: FakeProcess) => void
      onStop?: (process: FakeProcess) => void
      /** Runs before a process is there: it may fail, or wait. */
      spawning?: Effect.Effect<void, SpawnFailed>
    }
  }
>()("test/FakeShell") {
  static readonly layer = Layer.effectContext(
    Effect.gen(function* () {
      const processes: Array<FakeProcess> = []
      const spawned = yield* Queue.unbounded<FakeProcess>()
      const behaviour: FakeShell["Service"]["behaviour"] = {}

      const start = (options: SpawnOptions) => {
        const ended = Deferred.makeUnsafe<ProcessEnd>()
        const swept = Deferred.makeUnsafe<Survivors>()
        const stops: Array<number | undefined> = []
        const encode = new TextEncoder()
        const own = { opened: false, closed: false, gone: false }
        const process: FakeProcess = {
          pid: 4_000_000 + processes.length,
          command: options.command,
          cwd: options.cwd,
          env: options.env,
          stops,
          get opened() {
            return own.opened
          },
          get closed() {
            return own.closed
          },
          print: (...output) => {
            for (const piece of output)
              options.onStdout(typeof piece === "string" ? encode.encode(piece) : piece)
          },
          printError: (output) => options.onStderr(encode.encode(output)),
          exit: ({ code, signal, survivors = {} } = {}) => {
            if (own.gone) return
            own.gone = true
            if (survivors !== "undecided") process.sweep(survivors)
            const exitCode = code ?? (signal === undefined ? 0 : undefined)
            Deferred.doneUnsafe(
              ended,
              Effect.succeed({
                outputAbandoned: false,
                ...(exitCode !== undefined && { exitCode }),
                ...(signal !== undefined && { signal })
              })
            )
          },
          sweep: (survivors = {}) =>
            Deferred.doneUnsafe(swept, Effect.succeed({ swept: [], survivors: [], ...survivors }))
        }
        const stop = (graceMs?: number) =>
          Effect.suspend(() => {
            stops.push(graceMs)
            if (behaviour.onStop) behaviour.onStop(process)
            else process.exit({ signal: "SIGTERM" })
            return Deferred.await(ended)
          })
        const handle = {
          pid: process.pid,
          open: Effect.sync(() => {
            if (own.opened || own.gone) return
            own.opened = true
            behaviour.onOpen?.(process)
          }),
          ended: Deferred.await(ended),
          swept: Deferred.await(swept),
          stop
        }
        const close = Effect.gen(function* () {
          own.closed = true
          if (!own.gone) yield* stop()
        })
        processes.push(process)
        return { process, handle, close }
      }

      const spawn = Effect.fnUntraced(function* (options: SpawnOptions) {
        yield* behaviour.spawning ?? Effect.void
        const { process, handle } = yield* Effect.acquireRelease(
          Effect.sync(() => start(options)),
          ({ close }) => close
        )
        yield* Queue.offer(spawned, process)
        return handle
      })

      const fake = FakeShell.of({ processes, next: Queue.take(spawned), behaviour })
      const shell = Shell.of({
        spawn,
        name: "bash",
        watchdogPid: Effect.succeed(undefined),
        recover: Effect.succeed([])
      })
      return Context.make(FakeShell, fake).pipe(Context.add(Shell, shell))
    })
  )

  static readonly refusal = (message: string) =>
    new SpawnFailed({ reason: "missing_directory", cwd: "/gone", message })
}
