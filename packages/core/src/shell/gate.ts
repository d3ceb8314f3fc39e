/**
 * The gate in front of every command.
 *
 * `sh` waits on stdin for a line and then becomes the command: so pid, exit code and signal are the command's own,
 * and there is no moment at which it runs unwatched. At the end of stdin, when the server is gone, it never starts.
 */
import { type ChildProcess, spawn } from "node:child_process"
import { closeSync } from "node:fs"
import type { ProcessMark } from "./marks.ts"
import { closePipe, makePipe, type Output, pipeOutput, socketOutput } from "./pipes.ts"

/** $1 command, $2 shell, $3 and $4 the limits of the mark in KiB, or nothing. */
const script = `read -r _lifeline_gate || exit 125
[ -z "$3" ] || { ulimit -S -m "$3" && ulimit -H -m "$4"; } >/dev/null 2>&1
exec "$2" -c "$1" </dev/null`

export interface GatedCommand {
  readonly command: string
  readonly cwd: string
  readonly env: Record<string, string>
  /** Runs the gate. */
  readonly sh: string
  /** Runs the command. */
  readonly shell: string
  readonly mark: ProcessMark
  readonly realPipes: boolean
}

/** A process that waits at its gate, leader of its own group and session. */
export interface Gated {
  readonly pid: number
  readonly child: ChildProcess
  readonly stdout: Output
  readonly stderr: Output
}

/** The system said no; `cause` resolves with its error. */
export interface Refused {
  readonly cause: Promise<unknown>
}

/** In one turn, so that the caller's listeners are there before anything can happen. */
export const startGated = (gated: GatedCommand): Gated | Refused => {
  const limits = gated.mark.limits
  const stdout = gated.realPipes ? makePipe() : undefined
  const stderr = stdout && makePipe()
  if (stdout && !stderr) closePipe(stdout)
  const pipes = stdout && stderr ? { stdout, stderr } : undefined
  let child: ChildProcess
  try {
    child = spawn(
      gated.sh,
      [
        "-c",
        script,
        "sh",
        gated.command,
        gated.shell,
        ...(limits ? [limits.softKib, limits.hardKib] : ["", ""]).map(String)
      ],
      {
        cwd: gated.cwd,
        env: { ...gated.env, ...gated.mark.env },
        stdio: ["pipe", pipes?.stdout.write ?? "pipe", pipes?.stderr.write ?? "pipe"],
        detached: true
      }
    )
  } catch (error) {
    if (pipes) [pipes.stdout, pipes.stderr].forEach(closePipe)
    return { cause: Promise.resolve(error) }
  }
  const pid = child.pid
  if (pid === undefined) {
    if (pipes) [pipes.stdout, pipes.stderr].forEach(closePipe)
    return { cause: new Promise((resolve) => void child.once("error", resolve)) }
  }
  child.on("error", () => {})
  child.stdin!.on("error", () => {})
  if (!pipes) return { pid, child, stdout: socketOutput(child.stdout!), stderr: socketOutput(child.stderr!) }
  closeSync(pipes.stdout.write)
  closeSync(pipes.stderr.write)
  return { pid, child, stdout: pipeOutput(pipes.stdout.read), stderr: pipeOutput(pipes.stderr.read) }
}

/** Once: the command begins. */
export const openGate = (child: ChildProcess) => void child.stdin!.end("go\n")
