/** What becomes of monitors when their server is gone, orderly or not. */
import { say } from "@vigil/simulation/script"
import { describe, expect } from "bun:test"
import { Effect, Layer } from "effect"
import { existsSync, readdirSync, rmSync, truncateSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { ConfigOverrides } from "../src/config.ts"
import { Coordinator } from "../src/coordinator.ts"
import { Inbox } from "../src/inbox.ts"
import { Monitors } from "../src/monitor.ts"
import { segmentPath } from "../src/shell/segments.ts"
import { testEffect } from "./lib/effect.ts"
import { fifo } from "./lib/fifo.ts"
import { crashImage, edit, heard, storedIn } from "./lib/stored.ts"
import { local, makeWorld, newSession } from "./lib/world.ts"
import { waitFor } from "./shell/fixture/oracle.ts"

const it = testEffect(Layer.empty)

const until = (condition: () => boolean) =>
  Effect.promise(async () => {
    if (!(await waitFor(condition))) throw new Error(`It never came to pass that ${String(condition)}`)
  })

/** Long enough that no window closes during a test. */
const held: ConfigOverrides = { monitor: { batchMs: 5_000 } }

/** A server that was killed while a monitor ran: with what it had delivered, and what only its files had. */
const crashed = Effect.fnUntraced(function* (options: {
  readonly config?: ConfigOverrides
  readonly delivered?: string
  readonly saved?: string | Uint8Array
}) {
  const { config = {}, delivered, saved } = options
  const world = yield* makeWorld(() => say("Noted"), { config })
  const source = yield* fifo(world.directory)
  const before = yield* local(
    Effect.gen(function* () {
      const session = yield* newSession(world.directory)
      const monitors = yield* Monitors
      const monitor = yield* monitors.start(session.id, {
        command: source.command,
        description: "source",
        startedBy: "user"
      })
      if (delivered !== undefined) {
        source.write(delivered)
        yield* heard(({ type }) => type === "turn.ended")
      }
      const folder = join(world.stateDir, "sessions", session.id, monitor.id)
      if (saved !== undefined) {
        const size = Buffer.byteLength(delivered ?? "") + Buffer.from(saved).length
        source.write(saved)
        yield* until(() => sizeOf(join(folder, "log")) === size)
      }
      return { session, monitor, image: crashImage(world.stateDir), requests: world.model.requests.length }
    }),
    world.server()
  )
  const { session, monitor, image } = before
  const spool = join(image, "sessions", session.id, monitor.id, "stdout")
  return { ...before, world, spool, restarted: world.server({ stateDir: image }) }
})

const sizeOf = (folder: string) =>
  existsSync(folder)
    ? readdirSync(folder).reduce((sum, name) => sum + Bun.file(join(folder, name)).size, 0)
    : 0

const balanced = (ledger: {
  readonly linesRead: number
  readonly linesDelivered: number
  readonly linesSuppressed: number
  readonly linesPending: number
}) => expect(ledger.linesRead).toBe(ledger.linesDelivered + ledger.linesSuppressed + ledger.linesPending)

const noticeOf = (stateDir: string) => {
  const notices = storedIn(stateDir)
    .inbox()
    .filter(({ payload }) => payload.type === "notice")
  expect(notices.length).toBe(1)
  const [notice] = notices
  return { ...notice!, text: notice!.payload.type === "notice" ? notice!.payload.text : "" }
}

describe("a monitor that ran when its server was killed", () => {
  it.live(
    "has ended when the next server answers, with one notice that wakes nobody and is read with the next prompt",
    Effect.gen(function* () {
      const { session, monitor, image, requests, world, restarted } = yield* crashed({ delivered: "one\n" })
      yield* local(
        Effect.gen(function* () {
          const found = yield* (yield* Monitors).get(session.id, monitor.id)
          expect(found).toMatchObject({ status: "ended", reason: "server_restarted" })
          expect(noticeOf(image)).toMatchObject({ id: `${monitor.id}:end`, wakes: false })
          const coordinator = yield* Coordinator
          yield* coordinator.awaitIdle(session.id)
          expect(world.model.requests.length).toBe(requests)
          yield* coordinator.prompt(session.id, { text: "What happened?" })
          yield* coordinator.awaitIdle(session.id)
          const { news } = world.model.requests.at(-1)!.conversation!
          expect(news).toContain("ended by a restart of the server")
          expect(news).toContain("What happened?")
          expect(yield* (yield* Inbox).pending(session.id)).toEqual([])
        }),
        restarted
      )
    })
  )

  it.live(
    "wakes its session where wakeOnRestart says so",
    Effect.gen(function* () {
      const { session, requests, world, restarted } = yield* crashed({
        config: { monitor: { wakeOnRestart: true } },
        delivered: "one\n"
      })
      yield* local(
        Effect.gen(function* () {
          yield* (yield* Coordinator).awaitIdle(session.id)
          expect(world.model.requests.length).toBe(requests + 1)
        }),
        restarted
      )
    })
  )

  it.live(
    "loses no line that was read: what was not yet delivered stands in the notice, the unfinished line too",
    Effect.gen(function* () {
      const { image, restarted } = yield* crashed({
        config: held,
        saved: "one\r\n\n\u001b[31mtwo\u001b[0m\nha"
      })
      yield* local(Effect.void, restarted)
      const [record] = storedIn(image).monitors()
      balanced(record!.monitor.ledger)
      expect(record!.monitor.ledger).toMatchObject({
        linesRead: 3,
        linesDelivered: 3,
        events: 0,
        bytesRead: 21
      })
      expect(record!.cursor).toBe(21)
      expect(noticeOf(image).text).toContain("last lines:\none\ntwo\nha")
    })
  )

  it.live(
    "tells a line only once: what was delivered before is not in the notice",
    Effect.gen(function* () {
      const { image, restarted, session, monitor } = yield* crashed({
        config: { monitor: { batchMs: 100 } },
        delivered: "one\ntwo\n",
        saved: "thr"
      })
      yield* local(Effect.void, restarted)
      const [record] = storedIn(image).monitors()
      balanced(record!.monitor.ledger)
      expect(record!.monitor.ledger).toMatchObject({ linesRead: 3, linesDelivered: 3, bytesRead: 11 })
      const { text } = noticeOf(image)
      expect(text).toContain("last lines:\nthr")
      expect(text).not.toContain("two")
      expect(existsSync(join(image, "sessions", session.id, monitor.id, "stdout"))).toBe(false)
    })
  )

  it.live(
    "puts at most 16 KiB into the notice, the newest, and counts the rest as suppressed",
    Effect.gen(function* () {
      const lines = Array.from({ length: 400 }, (_, index) => `line ${index} ${"x".repeat(100)}`)
      const { image, restarted } = yield* crashed({ config: held, saved: `${lines.join("\n")}\n` })
      yield* local(Effect.void, restarted)
      const [record] = storedIn(image).monitors()
      const { ledger } = record!.monitor
      balanced(ledger)
      expect(ledger.linesRead).toBe(400)
      expect(ledger.linesSuppressed).toBeGreaterThan(200)
      const { text } = noticeOf(image)
      expect(Buffer.byteLength(text)).toBeLessThanOrEqual(17 * 1024)
      expect(text).toContain(`${ledger.linesSuppressed} lines suppressed`)
      const found = text.split("\n").filter((line) => line.startsWith("line "))
      expect(found).toEqual(lines.slice(-ledger.linesDelivered))
    })
  )

  it.live(
    "reads a character that the crash cut as one that is not there",
    Effect.gen(function* () {
      const { image, spool, restarted } = yield* crashed({ config: held, saved: "ok\nzwölf" })
      truncateSync(segmentPath(spool, 0), 6)
      yield* local(Effect.void, restarted)
      const [record] = storedIn(image).monitors()
      expect(record!.monitor.ledger).toMatchObject({ linesRead: 2, bytesRead: 6 })
      expect(noticeOf(image).text).toContain("last lines:\nok\nzw\ufffd")
    })
  )

  it.live(
    "reads on behind what a full disk did not keep",
    Effect.gen(function* () {
      const { image, spool, restarted } = yield* crashed({ config: held, saved: "one\n" })
      writeFileSync(segmentPath(spool, 10), "tail\ntwo\n")
      yield* local(Effect.void, restarted)
      const [record] = storedIn(image).monitors()
      balanced(record!.monitor.ledger)
      expect(record!.monitor.ledger).toMatchObject({ linesRead: 3, linesDelivered: 3, bytesRead: 19 })
      expect(noticeOf(image).text).toContain("last lines:\none\ntail\ntwo")
    })
  )

  it.live(
    "ends all the same where its files are gone",
    Effect.gen(function* () {
      const { image, session, restarted } = yield* crashed({ config: held, saved: "one\n" })
      rmSync(join(image, "sessions", session.id), { recursive: true })
      yield* local(Effect.void, restarted)
      expect(storedIn(image).monitors()[0]!.monitor).toMatchObject({ reason: "server_restarted" })
      expect(noticeOf(image).wakes).toBe(false)
    })
  )

  it.live(
    "can be read as before, also after one more restart",
    Effect.gen(function* () {
      const { session, monitor, restarted } = yield* crashed({ config: held, saved: "one\ntwo\n" })
      const read = Monitors.use((monitors) => monitors.output(session.id, monitor.id))
      const first = yield* local(read, restarted)
      expect(first).toMatchObject({ output: "one\ntwo\n", size: 8, ended: true })
      expect(yield* local(read, restarted)).toEqual(first)
    })
  )

  it.live(
    "is not started again, and the pid in its record is left alone",
    Effect.gen(function* () {
      const { image, monitor, world, restarted } = yield* crashed({ delivered: "one\n" })
      const trace = join(world.home, "trace")
      const innocent = Bun.spawn(["sleep", "60"])
      const { key, value } = storedIn(image).records<{ monitor: object }>("monitor/")[0]!
      const source = { type: "command", command: `touch ${trace}` }
      const changed = { ...value, monitor: { ...value.monitor, source, pid: innocent.pid } }
      edit(image, "UPDATE kv SET value = ? WHERE key = ?", JSON.stringify(changed), key)
      yield* local(
        Effect.gen(function* () {
          yield* (yield* Monitors).get(monitor.sessionID, monitor.id)
        }),
        restarted
      )
      expect(innocent.exitCode).toBe(null)
      expect(innocent.signalCode).toBe(null)
      innocent.kill("SIGKILL")
      yield* Effect.promise(() => innocent.exited)
      expect(existsSync(trace)).toBe(false)
    })
  )

  it.live(
    "is brought to its end once: a second start changes nothing more",
    Effect.gen(function* () {
      const { image, restarted } = yield* crashed({ config: held, saved: "one\ntw" })
      yield* local(Effect.void, restarted)
      const after = storedIn(image).tables()
      yield* local(Effect.void, restarted)
      expect(storedIn(image).tables()).toEqual(after)
    })
  )
})

describe("an orderly stop", () => {
  it.live(
    "writes server_restarted itself, with the last lines and one notice that wakes nobody",
    Effect.gen(function* () {
      const world = yield* makeWorld(() => say("Noted"), { config: held })
      const source = yield* fifo(world.directory)
      yield* local(
        Effect.gen(function* () {
          const session = yield* newSession(world.directory)
          yield* (yield* Monitors).start(session.id, {
            command: `trap '' TERM; echo ready; ${source.command}`,
            description: "source",
            startedBy: "user"
          })
          source.write("one\nhal")
          const sessions = join(world.stateDir, "sessions", session.id)
          yield* until(() => readdirSync(sessions).some((id) => sizeOf(join(sessions, id, "log")) === 13))
        }),
        world.server()
      )
      const stored = storedIn(world.stateDir)
      const [record] = stored.monitors()
      balanced(record!.monitor.ledger)
      expect(record!.monitor).toMatchObject({
        status: "ended",
        reason: "server_restarted",
        signal: "SIGKILL",
        ledger: { linesRead: 3, linesDelivered: 3, linesPending: 0 }
      })
      expect(noticeOf(world.stateDir).wakes).toBe(false)
      const lines = stored.inbox().flatMap(({ payload }) => (payload.type === "lines" ? payload.lines : []))
      expect(lines).toEqual(["ready", "one", "hal"])
    })
  )

  it.live(
    "and the start behind it make one end and one notice, not two",
    Effect.gen(function* () {
      const world = yield* makeWorld(() => say("Noted"))
      const source = yield* fifo(world.directory)
      yield* local(
        Effect.gen(function* () {
          const session = yield* newSession(world.directory)
          yield* (yield* Monitors).start(session.id, {
            command: source.command,
            description: "source",
            startedBy: "user"
          })
        }),
        world.server()
      )
      yield* local(Effect.void, world.server())
      const ends = storedIn(world.stateDir)
        .events()
        .filter(({ type }) => type === "monitor.ended")
      expect(ends.length).toBe(1)
      expect(noticeOf(world.stateDir).text).toContain("ended by a restart of the server")
      expect(world.model.requests.length).toBe(0)
    })
  )

  it.live(
    "keeps the ledger true also for lines that lose their place in a full inbox meanwhile",
    Effect.gen(function* () {
      const config: ConfigOverrides = { ...held, events: { maxWaiting: 1 } }
      const world = yield* makeWorld(() => say("Noted"), { config })
      const sources = yield* Effect.all([fifo(world.directory), fifo(world.directory), fifo(world.directory)])
      yield* local(
        Effect.gen(function* () {
          const session = yield* newSession(world.directory)
          for (const [index, source] of sources.entries()) {
            const monitor = yield* (yield* Monitors).start(session.id, {
              command: source.command,
              description: `source ${index}`,
              startedBy: "user"
            })
            source.write("one\ntwo\n")
            const log = join(world.stateDir, "sessions", session.id, monitor.id, "log")
            yield* until(() => sizeOf(log) === 8)
          }
        }),
        world.server()
      )
      const stored = storedIn(world.stateDir)
      const inbox = stored.inbox()
      const suppressed = inbox.flatMap(({ payload }) => (payload.type === "counts" ? payload.suppressed : []))
      expect(suppressed.length).toBeGreaterThan(0)
      for (const { monitor } of stored.monitors()) {
        balanced(monitor.ledger)
        const counted = suppressed.find(({ source }) => source.id === monitor.id)?.lines ?? 0
        expect([monitor.id, monitor.ledger.linesSuppressed]).toEqual([monitor.id, counted])
      }
    })
  )
})
