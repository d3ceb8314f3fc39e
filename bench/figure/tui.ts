/** The terminal UI in terminals: from a key to what it paints, the first paint, and what it costs at rest. */
import { Sessions } from "@vigil/core/session"
import { newId } from "@vigil/schema/id"
import { InputId } from "@vigil/schema/input"
import { MessageId, PartId } from "@vigil/schema/message"
import type { SessionId } from "@vigil/schema/session"
import { TurnId } from "@vigil/schema/turn"
import { Effect } from "effect"
import { mkdirSync } from "node:fs"
import { join } from "node:path"
import { type Figure, measured } from "../figure.ts"
import { lower } from "../lower.ts"
import { costOf } from "../process.ts"
import { makeHome, modelKey, type Home } from "../server.ts"

const main = join(import.meta.dir, "..", "..", "packages", "cli", "src", "main.ts")
/** Where BENCH_EXECUTABLE names one, it is measured; else Vigil from its sources, which takes long to load. */
const executable = process.env["BENCH_EXECUTABLE"]
const vigil = executable ? [executable] : [process.execPath, main]
const sizes = [10, 1_000, 10_000] as const

export const tui: Figure = async ({ full, tell }) => {
  using home = makeHome("http://127.0.0.1:1")
  mkdirSync(home.stateDir, { recursive: true, mode: 0o700 })
  const sessions = await Effect.runPromise(
    Effect.forEach(sizes, (size) => seeded(home, size)).pipe(
      Effect.orDie,
      Effect.provide(lower(home.stateDir, {}))
    )
  )
  const server = await home.serve()
  try {
    const paints = { ui: [] as Array<number>, bare: [] as Array<number> }
    for (let run = 0; run < (full ? 15 : 7); run++) {
      const bare = opened(home, [process.execPath, "-e", `process.stdout.write("Reply, or ask")`])
      paints.bare.push(await bare.shows("Reply, or ask"))
      const ui = opened(home, [...vigil, "--session", sessions[1]!])
      paints.ui.push(await ui.shows("ctrl+p"))
      await Promise.all([bare.close(), ui.close()])
    }
    tell(
      measured({
        name: "terminal UI, first paint",
        unit: "ms",
        values: paints.ui,
        references: paints.bare,
        target: { atMost: 300 },
        note: `vigil --session against a running server, from ${executable ? "an executable" : "its sources"}; reference: a bare Bun script that prints a line`
      })
    )

    const uis = sessions.map((id) => opened(home, [...vigil, "--session", id]))
    for (const ui of uis) await ui.shows("the last of them")
    const keys = uis.map((): Array<number> => [])
    for (let press = -10; press < (full ? 200 : 60); press++) {
      for (const turn of sizes.keys()) {
        // Each is first as often as the others.
        const index = (turn + press + 12) % sizes.length
        const took = await uis[index]!.press("abcdefghij"[(press + 10) % 10]!)
        if (press >= 0) keys[index]!.push(took)
      }
    }
    for (const [index, size] of sizes.entries()) {
      if (index === 0) continue
      tell(
        measured({
          name: `terminal UI, key to paint, ${size.toLocaleString("en")} messages`,
          unit: "ms",
          values: keys[index]!,
          references: keys[0]!,
          target: { times: 1.2 },
          note: "a letter typed; reference: in a session of 10 messages"
        })
      )
    }

    const restMs = full ? 60_000 : 20_000
    const bare = opened(home, [
      process.execPath,
      "-e",
      "console.log('rests'); setInterval(() => {}, 2 ** 30)"
    ])
    await bare.shows("rests")
    // Bun looks at its memory once a second for half a minute after work.
    await Bun.sleep(35_000)
    const before = [uis[1]!, bare].map(({ pid }) => costOf(pid).cpuMs)
    await Bun.sleep(restMs)
    const [ui = 0, nothing = 0] = [uis[1]!, bare].map(({ pid }, index) => costOf(pid).cpuMs - before[index]!)
    tell(
      measured({
        name: "terminal UI, at rest",
        unit: `ms CPU in ${restMs / 1_000} s`,
        values: [ui],
        references: [nothing],
        target: { more: 10 },
        note: "with a session open; reference: a Bun process that waits; Linux counts in steps of 10 ms"
      })
    )
    await Promise.all([...uis, bare].map((one) => one.close()))
  } finally {
    await server.stop()
  }
}

/** A session of so many messages, half of them prompts. */
const seeded = Effect.fnUntraced(function* ({ project }: Home, size: number) {
  const sessions = yield* Sessions
  const { id: sessionID } = yield* sessions.create({
    directory: project,
    rules: [],
    title: `${size} messages`
  })
  for (let index = 0; index < size; index += 2) {
    yield* say(sessionID, index, index + 2 >= size)
  }
  return sessionID
})

/** So long that ten messages fill a screen, and all screens are alike. */
const paragraph =
  "It **compiles** what changed, in the order of what each package imports, and tells what did not. What is there already is taken as it is, `unless` somebody asks for all of it."

const say = Effect.fnUntraced(function* (sessionID: SessionId, index: number, isLast: boolean) {
  const sessions = yield* Sessions
  const step = String(index).padStart(5, "0")
  const createdAt = 1_700_000_000_000 + index
  const turnID = TurnId.make(newId("trn"))
  yield* sessions.say({
    id: InputId.make(newId("inp")),
    sessionID,
    turnID,
    role: "user",
    payload: { type: "prompt", text: `What does step ${step} of the build do?` },
    createdAt
  })
  const messageID = MessageId.make(newId("msg"))
  yield* sessions.say({
    id: messageID,
    sessionID,
    turnID,
    role: "assistant",
    model: "anthropic/scripted",
    status: "completed",
    createdAt,
    endedAt: createdAt
  })
  yield* sessions.addPart({
    id: PartId.make(newId("prt")),
    sessionID,
    messageID,
    type: "text",
    text: `${paragraph}

${paragraph}

${isLast ? "This is the last of them." : `That was step ${step}.`}`
  })
})

/** A program in a terminal of its own. */
const opened = ({ home, project }: Home, args: ReadonlyArray<string>) => {
  const begun = performance.now()
  const decoder = new TextDecoder()
  let shown = ""
  let hear = () => {}
  const child = Bun.spawn([...args], {
    cwd: project,
    env: {
      PATH: process.env["PATH"],
      HOME: home,
      TERM: "xterm-256color",
      COLORFGBG: "15;0",
      ANTHROPIC_API_KEY: modelKey
    },
    terminal: {
      cols: 100,
      rows: 40,
      data: (_, bytes) => {
        shown += decoder.decode(bytes, { stream: true })
        hear()
      }
    }
  })
  const { terminal } = child
  if (terminal === undefined) throw new Error("There is no terminal")
  const until = (holds: () => boolean): Promise<number> => {
    const heard = Promise.withResolvers<number>()
    hear = () => {
      if (holds()) heard.resolve(performance.now())
    }
    hear()
    return heard.promise
  }
  return {
    pid: child.pid,
    /** Milliseconds from its start. */
    shows: async (text: string) => (await until(() => shown.includes(text))) - begun,
    /** Milliseconds from a key to what it paints. */
    press: async (key: string) => {
      const before = shown.length
      const pressed = performance.now()
      terminal.write(key)
      return (await until(() => shown.length > before)) - pressed
    },
    close: async () => {
      child.kill()
      await child.exited
      terminal.close()
    }
  }
}
