/** Every line that a command writes is accounted for: read = delivered + suppressed + pending. */
import { join } from "node:path"
import { type Figure, measured } from "../figure.ts"
import { makeHome, newSession, startMonitor } from "../server.ts"
import { startModel } from "../wire.ts"

interface Case {
  readonly name: string
  readonly command: (file: string) => string
  readonly reason: ReadonlyArray<string>
}

const program = join(import.meta.dir, "..", "program", "print-lines.ts")

/** Numbered lines at a steady rate, without drift. How many were written stands in the file. */
const printing = (lines: number, everyMs: number) => (file: string) =>
  `exec '${process.execPath}' '${program}' ${lines} ${everyMs} '${file}'`

const cases = (full: boolean): ReadonlyArray<Case> => [
  { name: "20 lines/s for 28 s", command: printing(560, 50), reason: ["exited"] },
  {
    name: `20 lines/s for ${full ? 60 : 40} s`,
    command: printing(full ? 1_200 : 800, 50),
    reason: ["rate_limit"]
  },
  { name: "5,000 lines at once", command: printing(5_000, 0), reason: ["exited"] },
  {
    name: `1 line/s for ${full ? 90 : 45} s`,
    command: printing(full ? 90 : 45, 1_000),
    reason: ["exited"]
  }
]

export const ledger: Figure = async ({ full, tell }) => {
  await using model = startModel()
  using home = makeHome(model.url)
  const server = await home.serve()
  await Promise.all(
    cases(full).map(async ({ name, command, reason }, index) => {
      const file = join(home.home, `written-${index}`)
      const session = await newSession(server.client, home.project)
      const { id } = await startMonitor(server.client, session, command(file), name)
      for (;;) {
        const { data: monitor } = await server.client.monitor.get({
          path: { sessionID: session, monitorID: id },
          throwOnError: true
        })
        if (monitor.status === "running") {
          await Bun.sleep(250)
          continue
        }
        const written = Number(await Bun.file(file).text())
        const { linesRead, linesDelivered, linesSuppressed, linesPending } = monitor.ledger
        const accounted = linesDelivered + linesSuppressed + linesPending
        const asMeant = accounted === linesRead && reason.includes(String(monitor.reason))
        // What the pipe held when its command was killed is in no count.
        const unread = written - linesRead
        tell(
          measured({
            name,
            unit: "lines",
            values: [asMeant && monitor.reason === "exited" && unread !== 0 ? Number.NaN : accounted],
            references: [linesRead],
            target: { exactly: asMeant ? linesRead : -1 },
            note: `${written} written, ${linesDelivered} delivered, ${linesSuppressed} suppressed, ${monitor.ledger.events} events; ${monitor.reason}`
          })
        )
        return
      }
    })
  )
  await server.stop()
}
