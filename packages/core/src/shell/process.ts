/**
 * One command, from its gate to its verified end. Real time throughout.
 *
 *   gated ─open─▶ running ─the leader exits─▶ draining ─outputs ended, group empty─▶ ENDED, then the sweep
 *     │              │                           │ 250 ms
 *     └────stop──────┴──▶ TERM, grace, KILL ──▶ KILL ──▶ sweep ──▶ rest of the output ──▶ ENDED
 */
import { type Gated, openGate } from "./gate.ts"
import { Group } from "./group.ts"
import type { Mark } from "./marks.ts"
import type { Output } from "./pipes.ts"
import { carriers, type Survivors, sweep } from "./sweep.ts"
import { inputTurn, sleep } from "./time.ts"

/** Exit code and signal are told apart: one of them is there. */
export interface ProcessEnd {
  readonly exitCode?: number
  /** Such as `SIGKILL`. */
  readonly signal?: string
  /** A process that could not be killed still held the output, and our end was closed. */
  readonly outputAbandoned: boolean
}

export interface ProcessOptions {
  readonly gated: Gated
  readonly mark: Mark
  readonly leaveDaemons: boolean
  readonly onStdout: (bytes: Uint8Array) => void
  readonly onStderr: (bytes: Uint8Array) => void
  /** A receiver threw; the command is being stopped. */
  readonly onFault: (error: unknown) => void
  /** The group's number is no longer ours. */
  readonly onGroupGone: (group: number) => void
}

export const defaultGraceMs = 500
const drainMs = 250
const silenceMs = 100
// A foreign holder that prints without pause is not listened to for longer.
const maxRestMs = 1000
const lookMs = 15

export class GatedProcess {
  readonly pid: number
  /** Both never reject. */
  readonly ended: Promise<ProcessEnd>
  private report: Promise<Survivors>

  private readonly gated: Gated
  private readonly mark: Mark
  private readonly leaveDaemons: boolean
  private readonly group: Group
  private readonly outputs: ReadonlyArray<Output>
  private readonly outputsEnded = Promise.withResolvers<void>()
  private readonly leaderExit = Promise.withResolvers<{ exitCode?: number; signal?: string }>()
  private openOutputs = 2
  private lastDataAt = 0
  private listening = true
  private opened = false
  private leaderGone = false
  private isEnded = false
  private terminated: Promise<void> | undefined
  private killAt = Infinity

  constructor(options: ProcessOptions) {
    this.gated = options.gated
    this.pid = options.gated.pid
    this.mark = options.mark
    this.leaveDaemons = options.leaveDaemons
    this.group = new Group(this.pid, () => options.onGroupGone(this.pid))
    this.outputs = [this.gated.stdout, this.gated.stderr]
    this.listen(this.gated.stdout, options.onStdout, options.onFault)
    this.listen(this.gated.stderr, options.onStderr, options.onFault)
    this.gated.child.once("exit", (exitCode, signal) => {
      this.leaderGone = true
      this.group.leaderExited()
      this.leaderExit.resolve({ ...(exitCode === null ? {} : { exitCode }), ...(signal ? { signal } : {}) })
    })
    const ended = Promise.withResolvers<ProcessEnd>()
    this.ended = ended.promise
    this.report = this.run((end) => {
      this.isEnded = true
      ended.resolve(end)
    })
  }

  open() {
    if (this.opened || this.terminated) return
    this.opened = true
    openGate(this.gated.child)
  }

  /** What the newest sweep found. */
  get swept() {
    return this.report
  }

  /**
   * Several stops are one, with the shortest grace of them. After an end that left daemons it kills these; after
   * any other end there is nothing to do.
   */
  async stop(graceMs = defaultGraceMs): Promise<ProcessEnd> {
    this.killAt = Math.min(this.killAt, performance.now() + graceMs)
    if (this.isEnded && this.leaveDaemons && !this.terminated) {
      this.report = this.report.then(() => sweep(this.mark))
      await this.report
    } else this.terminated ??= this.terminate()
    return this.ended
  }

  /** For whoever closes the scope: a command that ended by itself keeps the daemons that it may leave. */
  async close() {
    if (!this.isEnded) await this.stop()
    await this.report
  }

  private async run(end: (end: ProcessEnd) => void): Promise<Survivors> {
    const leader = await this.leaderExit.promise
    this.gated.child.stdin!.destroy()
    if (!this.terminated && (await this.isQuiet())) {
      this.group.release()
      end({ ...leader, outputAbandoned: false })
      return this.takeRest()
    }
    await this.terminated
    await this.group.kill()
    const survivors = await this.takeRest()
    this.group.release()
    const outputAbandoned = await this.closeOutputs()
    end({ ...leader, outputAbandoned })
    return survivors
  }

  /** Daemons that may stay are only counted, unless somebody asked for the end. */
  private takeRest(): Promise<Survivors> {
    if (this.leaveDaemons && !this.terminated)
      return Promise.resolve({ swept: [], survivors: carriers(this.mark) })
    return sweep(this.mark)
  }

  private async terminate() {
    this.group.signal("SIGTERM")
    await this.until(() => performance.now() >= this.killAt || (this.leaderGone && !this.group.isAlive()))
    this.group.signal("SIGKILL")
  }

  /** Whether outputs and group came to their end by themselves, in the time they have for it. */
  private async isQuiet() {
    const deadline = performance.now() + drainMs
    const quiet = () => this.openOutputs === 0 && !this.group.isAlive()
    await this.until(() => quiet() || this.terminated !== undefined || performance.now() >= deadline)
    return quiet()
  }

  /** All that could write is dead: takes what is buffered, and waits for no foreign holder. True when there was one. */
  private async closeOutputs() {
    const began = (this.lastDataAt = performance.now())
    const ripe = () =>
      performance.now() - this.lastDataAt >= silenceMs || performance.now() - began >= maxRestMs
    for (;;) {
      await this.until(() => this.openOutputs === 0 || ripe())
      await inputTurn()
      if (this.openOutputs === 0) return false
      if (ripe()) break
    }
    this.listening = false
    for (const output of this.outputs) output.abandon()
    return true
  }

  private async until(condition: () => boolean) {
    while (!condition()) {
      const waits = [sleep(lookMs)]
      if (this.openOutputs > 0) waits.push(this.outputsEnded.promise)
      await Promise.race(waits)
    }
  }

  private listen(output: Output, receive: (bytes: Uint8Array) => void, onFault: (error: unknown) => void) {
    output.start(
      (bytes) => {
        this.lastDataAt = performance.now()
        if (!this.listening) return
        try {
          receive(bytes)
        } catch (error) {
          this.listening = false
          onFault(error)
          void this.stop(0)
        }
      },
      () => {
        if (--this.openOutputs === 0) this.outputsEnded.resolve()
      }
    )
  }
}
