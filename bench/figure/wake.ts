/** From a line that a command prints to the model request that tells of it, in idle sessions. */
import { join } from "node:path"
import { type Figure, measured } from "../figure.ts"
import { median, p99 } from "../sample.ts"
import { makeHome, modelKey, newSession, startMonitor } from "../server.ts"
import { echoing, makeTrigger, type Model, nextMark, startModel } from "../wire.ts"

const program = join(import.meta.dir, "..", "program", "bare-wake.ts")
/** So that what is measured is an idle session and not a long transcript. */
const linesPerSession = 25
const settleMs = 80
export const raised = { perHour: 100_000, perTurn: 10_000 }

export const wake: Figure = async ({ full, tell }) => {
  const rounds = full ? 200 : 100
  await using model = startModel()
  const sides = {
    batched: await ofVigil(model, 200, rounds),
    bareBatched: await ofScript(model, 200),
    atOnce: await ofVigil(model, 0, rounds),
    bareAtOnce: await ofScript(model, 0)
  }
  const times: Record<keyof typeof sides, Array<number>> = {
    batched: [],
    bareBatched: [],
    atOnce: [],
    bareAtOnce: []
  }
  // The first ones warm up.
  for (let round = -5; round < rounds; round++) {
    for (const [name, side] of Object.entries(sides) as Array<[keyof typeof sides, Side]>) {
      const ms = await timed(model, side.pull)
      if (round >= 0) times[name].push(ms)
      await Bun.sleep(settleMs)
    }
  }
  for (const side of Object.values(sides)) await side.end()

  const note = `${rounds} lines; events.perHour and perTurn raised`
  const { batched, bareBatched, atOnce, bareAtOnce } = times
  const unit = "ms"
  const pairs = [
    { name: "wake", values: batched, references: bareBatched, target: { times: 1.03 } },
    { name: "wake p99", values: batched, references: bareBatched, of: p99, target: { more: 25 } },
    { name: "wake at once", values: atOnce, references: bareAtOnce, target: { more: 8 } },
    { name: "wake at once p99", values: atOnce, references: bareAtOnce, of: p99, target: { more: 25 } }
  ]
  for (const pair of pairs) tell(measured({ of: median, unit, note, ...pair }))
}

export interface Side {
  readonly pull: (mark: number) => void
  readonly end: () => Promise<void>
}

/** Until the request that tells of it, in ms. */
export const timed = async (
  model: Model,
  pull: (mark: number) => void,
  mark = nextMark()
): Promise<number> => {
  const arrival = model.arrival(mark)
  const from = performance.now()
  pull(mark)
  return (await arrival) - from
}

const ofVigil = async (model: Model, batchMs: number, rounds: number): Promise<Side> => {
  const home = makeHome(model.url, { monitor: { batchMs }, events: raised })
  const server = await home.serve()
  const triggers = await Promise.all(
    Array.from({ length: Math.ceil((rounds + 5) / linesPerSession) }, async (_, index) => {
      const trigger = makeTrigger(home.home, `trigger-${index}`)
      await startMonitor(server.client, await newSession(server.client, home.project), echoing(trigger.path))
      return trigger
    })
  )
  let pulled = 0
  return {
    pull: (mark) => triggers[pulled++ % triggers.length]!.pull(mark),
    end: async () => {
      await server.stop()
      home[Symbol.dispose]()
    }
  }
}

const ofScript = async (model: Model, waitMs: number): Promise<Side> => {
  const home = makeHome(model.url)
  const trigger = makeTrigger(home.home, "trigger")
  const child = Bun.spawn(
    [process.execPath, program, model.url, modelKey, String(waitMs), echoing(trigger.path)],
    { stdio: ["ignore", "ignore", "inherit"] }
  )
  return {
    pull: trigger.pull,
    end: async () => {
      child.kill()
      await child.exited
      home[Symbol.dispose]()
    }
  }
}
