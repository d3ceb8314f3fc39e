/**
 * A server that is killed at random instants, again and again, on one state: nothing is lost, nothing is doubled.
 *
 * Each round looks at what the disk holds, before and after the next start, and never at what a server believes.
 */
import { call, delay, say, type Script } from "@vigil/simulation/script"
import { expect } from "bun:test"
import { Effect, Layer } from "effect"
import type { Session } from "@vigil/schema/session"
import { readdirSync } from "node:fs"
import { join } from "node:path"
import { audit, savedLines } from "./lib/audit.ts"
import { testEffect } from "./lib/effect.ts"
import { type Server, spawnServer } from "./lib/server.ts"
import { atOneMoment, storedIn } from "./lib/stored.ts"
import { makeWorld } from "./lib/world.ts"
import { leftAfter, living, pause, uniqueSeconds, waitFor } from "./shell/fixture/oracle.ts"

const it = testEffect(Layer.empty)

const rounds = 8
const numbers = Array.from({ length: rounds }, (_, round) => round)
/** Every third is killed while it starts. */
const whileStarting = (round: number) => round % 3 === 2
const surely = (round: number) => round % 2 === 0 && !whileStarting(round)
const seed = Number(process.env["CRASH_SEED"] ?? 20_260_101)
const mark = uniqueSeconds()

/** Mulberry32: the same seed, the same instants. */
const random = (seed: number) => () => {
  seed = (seed + 0x6d2b79f5) | 0
  let t = Math.imul(seed ^ (seed >>> 15), 1 | seed)
  t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
  return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32
}

/** `<n>;` for n from 1, in bursts, then a long silence. */
const counting = (pauseSeconds: number) =>
  `n=0; while [ $n -lt 400 ]; do n=$((n+1)); echo "$n;"; [ $((n % 7)) -ne 0 ] || sleep ${pauseSeconds}; done; setsid sleep ${mark} & sleep ${mark}`

// Slow enough to be killed in the middle; now and then it starts a monitor of its own.
const script: Script = ({ news }, { number }) => {
  if (news.includes("Begin")) {
    return [
      say("I watch."),
      call("monitor", { command: counting(0.03), description: `of request ${number}` })
    ]
  }
  return [say("I have seen "), delay(number % 3 === 0 ? 60 : 5), say("it all.")]
}

it.live(
  `a server that is killed ${rounds} times loses and repeats nothing`,
  Effect.gen(function* () {
    const next = random(seed)
    const between = (from: number, to: number) => Math.round(from + next() * (to - from))
    const world = yield* makeWorld(script, {
      config: {
        monitor: { batchMs: 40, maxActive: 20 },
        events: { perTurn: 1_000, perHour: 10_000, pauseMs: 0 }
      }
    })
    const { stateDir } = world
    const prompts: Array<string> = []
    let session: Session | undefined
    let saved: ReadonlyMap<string, number> = new Map()

    const drive = async (server: Server, round: number) => {
      session ??= (await server.tell("create", { directory: world.directory })) as Session
      const sessionID = session.id
      const started = server.tell("monitor", { sessionID, monitorID: `mon_${round}a`, text: counting(0.01) })
      void server.tell("monitor", { sessionID, monitorID: `mon_${round}b`, text: counting(0.05) })
      for (const text of ["Begin", "and", "tell"]) {
        const inputID = `inp_${round}${text.toLowerCase()}`
        void server.tell("prompt", { sessionID, inputID, text }).then(
          () => prompts.push(inputID),
          () => {}
        )
        await pause(between(0, 120))
      }
      // However slow the machine is, some are killed while their monitors print.
      if (surely(round)) await started
    }

    for (const round of numbers) {
      const server = yield* spawnServer(world)
      yield* Effect.promise(async () => {
        if (whileStarting(round)) await pause(between(150, 600))
        else {
          expect(await server.ready).toBe(undefined)
          atOneMoment(stateDir, (stored) => audit(stored, saved, prompts))
          const replayed = (await server.tell("replay")) as ReadonlyArray<number>
          expect(replayed).toEqual(replayed.toSorted((a, b) => a - b))
          expect(new Set(replayed).size).toBe(replayed.length)
          await drive(server, round)
          await pause(between(50, 500))
        }
        await server.end()
        expect(await leftAfter(mark, 2_000)).toEqual([])
        // Ended monitors of a start that was killed in the middle keep what was found before.
        saved = new Map([...saved, ...savedLines(stateDir)])
      })
    }

    const last = yield* spawnServer(world)
    yield* Effect.promise(async () => {
      expect(await last.ready).toBe(undefined)
      atOneMoment(stateDir, (stored) => audit(stored, saved, prompts))
      const sessionID = session!.id
      await last.tell("prompt", { sessionID, inputID: "inp_last", text: "and now?" })
      await last.tell("idle", { sessionID })
      atOneMoment(stateDir, (stored) => audit(stored, saved, [...prompts, "inp_last"]))
      const stored = storedIn(stateDir)
      expect(stored.inbox()).toEqual([])
      expect(stored.openTurns()).toEqual([])
      expect(stored.records("owed/")).toEqual([])
      expect(stored.messages().at(-1)).toMatchObject({ role: "assistant", status: "completed" })
      expect(stored.monitors().length).toBeGreaterThanOrEqual(numbers.filter(surely).length)
      for (const { monitor } of stored.monitors()) {
        // A prompt that was not read before may have started one more.
        if (!saved.has(monitor.id)) continue
        expect(monitor.reason).toBe("server_restarted")
        const page = await last.tell("output", { sessionID, monitorID: monitor.id })
        expect(page).toMatchObject({ ended: true, truncated: false })
        expect(page.output.length).toBeGreaterThanOrEqual(monitor.ledger.bytesRead)
      }
      const replayed = (await last.tell("replay")) as ReadonlyArray<number>
      expect(replayed).toEqual(stored.events().map(({ seq }) => seq))
      const refused = world.model.requests.flatMap(({ refusal }) =>
        refusal && refusal.status !== 499 ? [refusal] : []
      )
      expect(refused).toEqual([])
      await last.end("SIGTERM")
      expect(readdirSync(join(stateDir, "servers"))).toEqual([])
      expect(await waitFor(() => living(mark).length === 0, 0)).toBe(true)
    })
  }),
  60_000
)
