/** From the exit of a command that said nothing to the model request that tells of it. */
import { join } from "node:path"
import { type Figure, measured } from "../figure.ts"
import { makeHome, modelKey, newSession, startMonitor } from "../server.ts"
import { makeTrigger, nextMark, startModel } from "../wire.ts"
import { raised, timed } from "./wake.ts"

const program = join(import.meta.dir, "..", "program", "bare-wake.ts")

export const silentExit: Figure = async ({ full, tell }) => {
  const rounds = full ? 100 : 30
  await using model = startModel()
  using home = makeHome(model.url, { events: raised })
  const server = await home.serve()
  const trigger = makeTrigger(home.home, "trigger")
  const command = `read -r mark <'${trigger.path}'; exit 0`
  const bare = Bun.spawn([process.execPath, program, model.url, modelKey, "exit"], {
    stdio: ["pipe", "pipe", "inherit"]
  })
  const started = linesOf(bare.stdout)
  const times: Record<"vigil" | "bare", Array<number>> = { vigil: [], bare: [] }
  for (let round = -3; round < rounds; round++) {
    for (const side of ["vigil", "bare"] as const) {
      const mark = nextMark()
      if (side === "vigil") {
        const session = await newSession(server.client, home.project)
        await startMonitor(server.client, session, command, `@${mark};`)
      } else {
        void bare.stdin.write(`${mark} ${command}\n`)
        await bare.stdin.flush()
        await started.next()
      }
      // Until its shell has come to the read.
      await Bun.sleep(50)
      const ms = await timed(model, () => trigger.pull("go"), mark)
      if (round >= 0) times[side].push(ms)
      await Bun.sleep(50)
    }
  }
  bare.kill()
  await server.stop()
  tell(
    measured({
      name: "silent exit",
      unit: "ms",
      values: times.vigil,
      references: times.bare,
      target: { more: 15 }
    })
  )
}

async function* linesOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  let text = ""
  for await (const bytes of stream) {
    text += decoder.decode(bytes, { stream: true })
    for (let end = text.indexOf("\n"); end !== -1; end = text.indexOf("\n")) {
      yield text.slice(0, end)
      text = text.slice(end + 1)
    }
  }
}
