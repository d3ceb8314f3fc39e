/** The wake of an idle session while a hundred other monitors print once a second, each waking its own session. */
import { type Figure, measured } from "../figure.ts"
import { p99 } from "../sample.ts"
import { makeHome, newSession, startMonitor } from "../server.ts"
import { echoing, makeTrigger, startModel } from "../wire.ts"
import { raised, timed } from "./wake.ts"

const others = 100
const perSession = 4
/** Once a second, without a process for it. */
const ticking = "exec 3<> <(:); while ! read -r -t 1 -u 3; do echo tick; done"

export const crowd: Figure = async ({ full, tell }) => {
  const phases = full ? 10 : 4
  const linesPerPhase = full ? 30 : 15
  await using model = startModel()
  using home = makeHome(model.url, {
    monitor: { rateEvents: 10_000, maxStdoutBytes: 1_048_576 },
    events: raised
  })
  const server = await home.serve()
  const groups: Array<number> = []
  for (let count = 0; count < others; count += perSession) {
    const session = await newSession(server.client, home.project)
    for (let index = 0; index < perSession; index++)
      groups.push((await startMonitor(server.client, session, ticking)).pid!)
  }
  const signal = (name: NodeJS.Signals) => groups.forEach((group) => process.kill(-group, name))
  const sides: Record<"alone" | "crowded", Array<number>> = { alone: [], crowded: [] }
  for (let phase = 0; phase < phases * 2; phase++) {
    const crowded = phase % 2 === 1
    signal(crowded ? "SIGCONT" : "SIGSTOP")
    const trigger = makeTrigger(home.home, `trigger-${phase}`)
    await startMonitor(server.client, await newSession(server.client, home.project), echoing(trigger.path))
    await Bun.sleep(1_500)
    for (let line = 0; line < linesPerPhase; line++) {
      sides[crowded ? "crowded" : "alone"].push(await timed(model, trigger.pull))
      // Never at the same place of their second.
      await Bun.sleep(80 + ((line * 37) % 100))
    }
  }
  signal("SIGCONT")
  await server.stop()
  const sampled = { unit: "ms", values: sides.crowded, references: sides.alone }
  const note = "monitor.rateEvents and events.perHour raised; the others are stopped and continued in turns"
  tell(measured({ ...sampled, name: "wake among 100 others", target: { times: 1.05 }, note }))
  tell(measured({ ...sampled, name: "wake among 100 others p99", of: p99 }))
}
