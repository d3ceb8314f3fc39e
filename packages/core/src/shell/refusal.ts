/** Why a command could not be started, and what a person can do about it. */
import { accessSync, constants, statSync } from "node:fs"

export const refusalReasons = [
  "nul",
  "missing_directory",
  "missing_shell",
  "too_long",
  "no_room",
  "unwatched",
  "closed",
  "refused"
] as const

export interface Refusal {
  readonly reason: (typeof refusalReasons)[number]
  readonly message: string
}

interface Attempt {
  readonly command: string
  readonly cwd: string
  readonly env: Record<string, string>
  readonly sh: string
  readonly shell: string
}

export const unwatched: Refusal = {
  reason: "unwatched",
  message:
    "The watchdog that would end the command with the server did not answer, so nothing was started; try again"
}

export const closed: Refusal = {
  reason: "closed",
  message: "The server is shutting down, so nothing was started"
}

/** What can be seen before asking the system. */
export const foresee = (attempt: Attempt): Refusal | undefined => {
  if (attempt.command.includes("\0"))
    return { reason: "nul", message: "The command contains a NUL character; remove it" }
  const name = Object.keys(attempt.env).find((name) => `${name}${attempt.env[name]}`.includes("\0"))
  if (name !== undefined)
    return {
      reason: "nul",
      message: `The environment variable ${JSON.stringify(name)} contains a NUL character; unset it`
    }
  return directoryRefusal(attempt.cwd) ?? shellRefusal(attempt.sh) ?? shellRefusal(attempt.shell)
}

/** What the system's error means. */
export const explain = (cause: unknown, attempt: Attempt): Refusal => {
  const code = (cause as NodeJS.ErrnoException | undefined)?.code
  switch (code) {
    case "E2BIG":
      return {
        reason: "too_long",
        message:
          "The command and its environment are longer than the system takes; put the command into a file and run that"
      }
    case "EAGAIN":
    case "ENOMEM":
    case "EMFILE":
    case "ENFILE":
      return {
        reason: "no_room",
        message: `The system has no room for another process (${code}); end some and try again`
      }
  }
  return (
    foresee(attempt) ?? {
      reason: "refused",
      message: `The system refused to start ${attempt.sh} in ${attempt.cwd}: ${cause instanceof Error ? cause.message : String(cause)}`
    }
  )
}

const directoryRefusal = (cwd: string): Refusal | undefined => {
  const refuse = (what: string): Refusal => ({ reason: "missing_directory", message: `${cwd} ${what}` })
  if (cwd.includes("\0")) return { reason: "nul", message: "The directory's name contains a NUL character" }
  try {
    if (!statSync(cwd).isDirectory()) return refuse("is not a directory; choose one that is")
    accessSync(cwd, constants.X_OK)
    return undefined
  } catch (error) {
    return refuse(
      (error as NodeJS.ErrnoException).code === "ENOENT"
        ? "does not exist; create it or choose another directory"
        : "can't be entered; change its permissions or choose another directory"
    )
  }
}

const shellRefusal = (shell: string): Refusal | undefined => {
  try {
    accessSync(shell, constants.X_OK)
    return undefined
  } catch {
    return {
      reason: "missing_shell",
      message: `There is no shell at ${shell} that can be run; install it and start the server again`
    }
  }
}
