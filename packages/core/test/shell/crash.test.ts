/** What happens to commands when their server is killed. Each test kills a real one. */
import { afterAll, describe, expect, test } from "bun:test"
import { existsSync, readdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { exists, leftAfter, living, pause, uniqueSeconds, waitFor } from "./fixture/oracle.ts"
import {
  forkChain,
  patience,
  serverFile,
  type ServerOptions,
  serverScript,
  sizeOf,
  startServer,
  temporaryDirectory,
  tidy
} from "./fixture/run.ts"

afterAll(tidy)

const deadlineMs = 2000

/** Kills a server once each mark has `least` processes, and expects all of them and the watchdog to go. */
const killAndExpectNothing = async (
  commands: ReadonlyArray<string>,
  marks: ReadonlyArray<string>,
  least: number,
  options: ServerOptions = {}
) => {
  const server = await startServer(commands, options)
  expect(await waitFor(() => marks.every((mark) => living(mark).length >= least), patience)).toBe(true)
  await pause(100)
  const watchdog = server.watchdogPid()
  server.child.kill("SIGKILL")
  const left = await Promise.all(marks.map((mark) => leftAfter(mark, deadlineMs)))
  expect(left.flat()).toEqual([])
  expect(await waitFor(() => !exists(watchdog))).toBe(true)
}

const crash = (name: string, body: () => Promise<void>) => test(name, body, 3 * patience)

const everyEscape = (mark: string) =>
  `trap '' TERM HUP; setsid sleep ${mark} & setsid -f sleep ${mark} >/dev/null 2>&1; (nohup setsid sh -c 'trap "" TERM; sleep ${mark}; :' >/dev/null 2>&1 &); sh -c 'trap "" TERM HUP; sleep ${mark}; :' & wait; sleep ${mark}`

describe("kill -9 of the server", () => {
  for (const sh of ["/bin/dash", "/bin/bash", "/bin/mksh", "/usr/bin/yash"].filter(existsSync))
    crash(`takes every kind of escapee, with ${sh} for gate, watchdog and command`, async () => {
      const mark = uniqueSeconds()
      await killAndExpectNothing([everyEscape(mark)], [mark], 6, { options: { sh, shell: sh } })
    })

  crash("takes four monitors that each resist in another way", async () => {
    const marks = [0, 1, 2, 3].map(uniqueSeconds)
    await killAndExpectNothing(
      [
        `trap '' TERM; sleep ${marks[0]} & sleep ${marks[0]}; :`,
        `setsid sleep ${marks[1]} & sleep ${marks[1]}`,
        `(setsid nohup sh -c '(sleep ${marks[2]}; :) & exec sleep ${marks[2]}' >/dev/null 2>&1 &) ; sleep ${marks[2]}`,
        `env -i setsid -f sleep ${marks[3]} >/dev/null 2>&1; sleep ${marks[3]}`
      ],
      marks,
      2
    )
  })

  crash("takes 200 escapees", async () => {
    const mark = uniqueSeconds()
    const command = `i=0; while [ $i -lt 200 ]; do setsid -f sleep ${mark} >/dev/null 2>&1; i=$((i+1)); done; sleep ${mark}`
    await killAndExpectNothing([command], [mark], 200)
  })

  crash("takes respawners in their own sessions", async () => {
    const mark = uniqueSeconds()
    const command = `setsid sh -c 'while :; do setsid sleep ${mark}; done' >/dev/null 2>&1 & setsid sh -c 'while :; do setsid -f sleep ${mark}; sleep 0.01; done' >/dev/null 2>&1 & sleep 1; sleep ${mark}`
    await killAndExpectNothing([command], [mark], 20)
  })

  crash("takes 50 monitors, each with an escapee", async () => {
    const marks = Array.from({ length: 50 }, uniqueSeconds)
    await killAndExpectNothing(
      marks.map((mark) => `setsid sleep ${mark} & sleep ${mark}`),
      marks,
      2
    )
  })

  crash("takes a chain that forks and exits faster than /proc is listed", async () => {
    const mark = uniqueSeconds()
    const trace = join(temporaryDirectory(), "hops")
    const server = await startServer([forkChain(mark, trace)])
    expect(await waitFor(() => sizeOf(trace) > 50)).toBe(true)
    const watchdog = server.watchdogPid()
    server.child.kill("SIGKILL")
    expect(await waitFor(() => !exists(watchdog))).toBe(true)
    const hops = sizeOf(trace)
    await pause(300)
    expect(sizeOf(trace)).toBe(hops)
    expect(await leftAfter(mark, 0)).toEqual([])
  })

  crash("works through a watchdog that was killed and came back", async () => {
    const mark = uniqueSeconds()
    const server = await startServer([`setsid sleep ${mark} & sleep ${mark}`])
    expect(await waitFor(() => living(mark).length >= 2)).toBe(true)
    process.kill(server.watchdogPid(), "SIGKILL")
    expect(await waitFor(() => !exists(server.watchdogPid()))).toBe(true)
    await pause(150)
    server.child.kill("SIGKILL")
    expect(await leftAfter(mark, deadlineMs)).toEqual([])
  })

  crash("takes a server inside a monitor, and all that one runs", async () => {
    const mark = uniqueSeconds()
    const inner = serverFile([
      `setsid sleep ${mark} & env -i sleep ${mark} & env -i setsid -f sleep ${mark} >/dev/null 2>&1; sleep ${mark}`
    ])
    const outer = await startServer([`${process.execPath} ${serverScript} ${inner}`])
    expect(await waitFor(() => living(mark).length >= 4)).toBe(true)
    await pause(200)
    outer.child.kill("SIGKILL")
    expect(await leftAfter(mark, deadlineMs)).toEqual([])
  })

  crash("at any moment while monitors are being started", async () => {
    for (let round = 0; round < 8; round++) {
      const mark = uniqueSeconds()
      const commands = Array.from({ length: 20 }, () => `setsid sleep ${mark} & sleep ${mark}`)
      const server = await startServer(commands, { ready: false })
      await waitFor(() => server.output().includes("WATCHDOG") || living(mark).length > 0)
      await pause(round * 9)
      server.child.kill("SIGKILL")
      // A command that is about to start now must not.
      await pause(150)
      expect(await leftAfter(mark, deadlineMs)).toEqual([])
    }
  })

  crash("does not need the watchdog's group: Ctrl-C reaches only the server", async () => {
    const mark = uniqueSeconds()
    const server = await startServer([`sleep ${mark}`], { through: ["setsid"] })
    expect(await waitFor(() => living(mark).length >= 1)).toBe(true)
    process.kill(-server.child.pid!, "SIGINT")
    expect(await leftAfter(mark, deadlineMs)).toEqual([])
  })
})

describe("server and watchdog killed together", () => {
  crash("are cleaned up after by the next start, which leaves a living server alone", async () => {
    const stateDir = temporaryDirectory()
    const [mark, other] = [uniqueSeconds(), uniqueSeconds()]
    const dead = await startServer(
      [`env -i setsid sleep ${mark} & setsid sleep ${mark} & trap '' TERM; sleep ${mark}; :`],
      { options: { stateDir } }
    )
    const alive = await startServer([`sleep ${other}`], { options: { stateDir } })
    expect(await waitFor(() => living(mark).length >= 4 && living(other).length >= 1)).toBe(true)
    // Stopped first, so that it can't start another watchdog.
    dead.child.kill("SIGSTOP")
    process.kill(dead.watchdogPid(), "SIGKILL")
    expect(await waitFor(() => !exists(dead.watchdogPid()))).toBe(true)
    dead.child.kill("SIGKILL")
    await pause(300)
    expect(living(mark).length).toBeGreaterThanOrEqual(3)
    writeFileSync(join(stateDir, "servers", "torn.json"), '{"boot":')

    const next = await startServer([], { options: { stateDir } })
    expect(next.output()).toMatch(/RECOVERED [3-9]/)
    expect(await leftAfter(mark, 0)).toEqual([])
    expect(living(other).length).toBeGreaterThanOrEqual(1)

    await Promise.all([next.end(), alive.end()])
    expect(await leftAfter(other, 0)).toEqual([])
    expect(readdirSync(join(stateDir, "servers"))).toEqual([])
  })
})

describe("an orderly end", () => {
  crash("leaves neither commands nor watchdog nor state", async () => {
    const stateDir = temporaryDirectory()
    const mark = uniqueSeconds()
    const server = await startServer([`setsid sleep ${mark} & sleep ${mark}`], { options: { stateDir } })
    const watchdog = server.watchdogPid()
    expect(await waitFor(() => living(mark).length >= 2)).toBe(true)
    await server.end()
    expect(server.output()).toContain("CLOSED")
    expect(await leftAfter(mark, 0)).toEqual([])
    expect(exists(watchdog)).toBe(false)
    expect(readdirSync(join(stateDir, "servers"))).toEqual([])
  })
})
