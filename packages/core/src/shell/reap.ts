/**
 * As PID 1 of a container the server inherits every orphan, and must bury it.
 *
 * Never any child, always an exact pid, and only one that was found dead twice: the runtime waits for its own
 * children, and their exit codes must not be taken from it.
 */
import { dlopen } from "bun:ffi"
import { isLinux, listPids, statOf } from "./proc.ts"

const noHang = 1
const secondLookMs = 1000

/** Returns how to end it; does nothing unless this process is PID 1 on Linux. */
export const startReaping = (): (() => void) => {
  const waitpid = isLinux && process.pid === 1 ? openWaitpid() : undefined
  if (!waitpid) return () => {}
  let seen = new Map<number, number>()
  let timer: ReturnType<typeof setTimeout> | undefined
  const look = () => {
    timer = undefined
    const found = new Map<number, number>()
    for (const stat of listPids().flatMap((pid) => statOf(pid) ?? [])) {
      if (stat.state !== "Z" || stat.parent !== process.pid) continue
      if (seen.get(stat.pid) === stat.start) waitpid(stat.pid, null, noHang)
      else found.set(stat.pid, stat.start)
    }
    seen = found
    if (found.size > 0) lookLater()
  }
  const lookLater = () => {
    timer ??= setTimeout(look, secondLookMs)
    timer.unref?.()
  }
  process.on("SIGCHLD", lookLater)
  lookLater()
  return () => {
    process.off("SIGCHLD", lookLater)
    clearTimeout(timer)
  }
}

const openWaitpid = () => {
  for (const library of ["libc.so.6", `libc.musl-${process.arch === "arm64" ? "aarch64" : "x86_64"}.so.1`]) {
    try {
      return dlopen(library, { waitpid: { args: ["i32", "ptr", "i32"], returns: "i32" } }).symbols.waitpid
    } catch {
      // Another libc.
    }
  }
  return undefined
}
