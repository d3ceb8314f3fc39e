/** A session as a server has it, and its history: what was told, and what a read would have shown at each place. */
import type {
  AssistantMessage,
  FeedEvent,
  Input,
  Message,
  Monitor,
  Part,
  Shell,
  TextPart,
  Turn
} from "../../src/wire.ts"
import type { Reads } from "../../src/store.ts"

export interface History {
  /** In the order in which the feed tells it. */
  readonly told: ReadonlyArray<FeedEvent>
  /** What reads show behind the first `n` of them. */
  readonly reads: ReadonlyArray<Reads>
  /** The feed position there. */
  readonly seqs: ReadonlyArray<number>
}

export type Random = (below: number) => number

/** The same numbers for the same seed. */
export const randomOf = (seed: number): Random => {
  let state = seed
  return (below) => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296) * below)
  }
}

const sessionID = "ses_1"
const ledger = (events: number) => ({
  bytesRead: events,
  linesRead: events,
  linesDelivered: events,
  linesSuppressed: 0,
  linesPending: 0,
  linesClipped: 0,
  bytesClipped: 0,
  events
})

/** `steps` things that happen, by chance; at the end nothing is half said. */
export const makeHistory = (random: Random, steps: number): History => {
  const told: Array<FeedEvent> = []
  const reads: Array<Reads> = []
  const seqs: Array<number> = []
  let seq = 0
  let number = 0
  let session = { id: sessionID, directory: "/p", rules: [], unattended: false, createdAt: 1, updatedAt: 1 }
  let messages: Array<{ seq: number; message: Message; parts: Array<Part> }> = []
  /** Of the parts that stream, as the server has it in memory. */
  let drafts = new Map<string, string>()
  let streaming: AssistantMessage | undefined
  let turns: Array<Turn> = []
  let monitors: Array<Monitor> = []
  let shells: Array<Shell> = []
  let asks: Reads["asks"] = []
  let inbox: Array<Input> = []

  const id = (prefix: string) => `${prefix}_${++number}`

  const show = () => {
    const [turn] = turns
    const active =
      monitors.some(({ status }) => status === "running") ||
      shells.some((shell) => shell.status === "running" && shell.background)
    const status =
      asks.length > 0 ? "asking" : turn && !turn.endedAt ? "running" : active ? "watching" : "idle"
    reads.push(
      structuredClone({
        session: { ...session, status, ...(turn && { turn }) },
        messages: messages.map(({ parts, ...message }) => ({
          ...message,
          parts: parts.map((part) => ({
            ...part,
            ...(drafts.has(part.id) && { text: drafts.get(part.id)! })
          }))
        })) as Reads["messages"],
        hasOlder: false,
        turns,
        monitors,
        shells,
        asks,
        inbox
      })
    )
    seqs.push(seq)
  }

  const tell = (type: string, data: object) => {
    told.push(
      structuredClone({ seq: ++seq, id: `evt_${seq}`, type, sessionID, created: seq, data }) as FeedEvent
    )
    show()
  }
  const change = <A extends { id: string }>(items: Array<A>, item: A) =>
    items.map((other) => (other.id === item.id ? item : other))
  const oneOf = <A>(items: ReadonlyArray<A>): A | undefined => items[random(items.length)]

  const say = (message: Message) => {
    messages.push({ seq: ++number, message, parts: [] })
    tell("message.created", { message })
  }
  const store = (part: Part) => {
    const entry = messages.find(({ message }) => message.id === part.messageID)
    if (entry) entry.parts = [...entry.parts.filter((other) => other.id !== part.id), part]
  }
  const replace = (part: Part) => {
    const entry = messages.find(({ message }) => message.id === part.messageID)
    if (entry) entry.parts = change(entry.parts, part)
  }
  const partsOf = (message: Message) => messages.find((entry) => entry.message.id === message.id)?.parts ?? []
  const openParts = () => (streaming ? partsOf(streaming) : []).filter((part) => drafts.has(part.id))

  const finishPart = (part: Part) => {
    const whole = { ...part, text: drafts.get(part.id)! } as TextPart
    drafts.delete(part.id)
    replace(whole)
    tell("part.completed", { part: whole })
  }
  const finishMessage = (status: AssistantMessage["status"]) => {
    if (streaming === undefined) return
    const message: AssistantMessage = { ...streaming, status, endedAt: seq }
    messages = messages.map((entry) => (entry.message.id === message.id ? { ...entry, message } : entry))
    streaming = undefined
    tell("message.completed", { message })
  }
  const endTurn = (outcome: NonNullable<Turn["outcome"]>) => {
    const [turn] = turns
    if (turn === undefined || turn.endedAt !== undefined) return
    const ended: Turn = { ...turn, endedAt: seq, outcome }
    turns = change(turns, ended)
    tell("turn.ended", { turn: ended })
  }

  const happenings: ReadonlyArray<() => void> = [
    () => {
      session = { ...session, updatedAt: ++number }
      tell("session.updated", { session })
    },
    () => {
      if (turns[0] && turns[0].endedAt === undefined) return endTurn("completed")
      const turn: Turn = { id: id("trn"), sessionID, startedAt: seq, steps: 0 }
      turns = [turn, ...turns]
      tell("turn.started", { turn })
    },
    () => {
      if (streaming) return
      streaming = {
        id: id("msg"),
        sessionID,
        turnID: "trn_0",
        createdAt: seq,
        role: "assistant",
        model: "m",
        status: "streaming"
      }
      say(streaming)
    },
    () => {
      if (!streaming) return
      const part = {
        id: id("prt"),
        messageID: streaming.id,
        sessionID,
        type: "text" as const,
        text: ""
      }
      store(part)
      drafts.set(part.id, "")
      tell("part.created", { part })
      // What is told of at once may overtake it.
      const created = told.at(-1)!
      grow(part)
      if (random(3) === 0 && told.at(-1) !== created) told.push(...told.splice(-2).toReversed())
    },
    () => {
      const part = oneOf(openParts())
      if (part) grow(part)
    },
    () => {
      const part = oneOf(openParts())
      if (part) finishPart(part)
    },
    () => {
      for (const part of openParts()) finishPart(part)
      finishMessage(oneOf(["completed", "interrupted", "failed"] as const)!)
    },
    () => {
      // The server dies: what was in its memory alone is gone.
      drafts = new Map()
      finishMessage("interrupted")
      endTurn("server_stopped")
    },
    () => {
      const monitor: Monitor = {
        id: id("mon"),
        sessionID,
        shellID: id("sh"),
        source: { type: "command", command: "true" },
        description: "d",
        delivery: "steer",
        startedBy: "agent",
        status: "running",
        startedAt: seq,
        expiresAt: seq + 300,
        ledger: ledger(0),
        log: { start: 0, size: 0 },
        cost: { reads: 0, inputTokens: 0, outputTokens: 0 }
      }
      monitors = [monitor, ...monitors]
      tell("monitor.started", { monitor })
    },
    () => {
      const monitor = oneOf(monitors.filter(({ status }) => status === "running"))
      if (!monitor) return
      const lines = [`line ${seq}`]
      const heard = {
        ...monitor,
        ledger: ledger(monitor.ledger.events + 1),
        lastLine: lines[0]!,
        lastOutputAt: seq + 1
      }
      monitors = change(monitors, heard)
      tell("monitor.event", { monitorID: monitor.id, seq: heard.ledger.events, lines, ledger: heard.ledger })
    },
    () => {
      const monitor = oneOf(monitors.filter(({ status }) => status === "running"))
      if (!monitor) return
      const ended: Monitor = { ...monitor, status: "ended", reason: "exited", endedAt: seq }
      monitors = change(monitors, ended)
      tell("monitor.ended", { monitor: ended })
    },
    () => {
      const gone = oneOf(monitors.filter(({ status }) => status === "ended"))
      if (!gone) return
      monitors = monitors.filter((monitor) => monitor !== gone)
      tell("monitor.removed", { monitorID: gone.id })
    },
    () => {
      const shell: Shell = {
        id: id("sh"),
        sessionID,
        command: "true",
        background: random(2) === 0,
        status: "running",
        startedAt: seq,
        log: { start: 0, size: 0 }
      }
      shells = [shell, ...shells]
      tell("shell.started", { shell })
    },
    () => {
      const shell = oneOf(shells.filter(({ status }) => status === "running"))
      if (!shell) return
      const next: Shell = shell.background
        ? { ...shell, status: "ended", reason: "exited", endedAt: seq }
        : { ...shell, background: true }
      shells = change(shells, next)
      tell(next.status === "ended" ? "shell.ended" : "shell.updated", { shell: next })
    },
    () => {
      const gone = oneOf(shells.filter(({ status }) => status === "ended"))
      if (!gone) return
      shells = shells.filter((shell) => shell !== gone)
      tell("shell.removed", { shellID: gone.id })
    },
    () => {
      const ask = { id: id("ask"), sessionID, tool: "shell", title: "t", subjects: [], createdAt: seq }
      asks = [...asks, ask]
      tell("permission.asked", { ask })
    },
    () => {
      const ask = oneOf(asks)
      if (!ask) return
      asks = asks.filter((other) => other !== ask)
      tell("permission.replied", { askID: ask.id, answer: "once" })
    },
    () => {
      const input: Input = {
        id: id("inp"),
        sessionID,
        kind: "prompt",
        delivery: "steer",
        origin: "user",
        payload: { type: "prompt", text: "t" },
        seq: ++number,
        createdAt: seq,
        wakes: true
      }
      inbox = [...inbox, input]
      tell("inbox.admitted", { input })
    },
    () => {
      // More lines joined it: it is told again.
      const input = oneOf(inbox)
      if (!input) return
      const grown: Input = { ...input, payload: { type: "prompt", text: `t ${seq}` } }
      inbox = change(inbox, grown)
      tell("inbox.admitted", { input: grown })
    },
    () => {
      const input = oneOf(inbox)
      if (!input) return
      inbox = inbox.filter((other) => other !== input)
      if (random(2) === 0) return tell("inbox.withdrawn", { inputIDs: [input.id] })
      const { id, createdAt } = input
      const payload = { type: "prompt", text: "t" } as const
      say({ id, sessionID, turnID: "trn_0", createdAt, role: "user", payload })
      tell("inbox.promoted", { inputIDs: [id] })
    }
  ]

  function grow(part: { readonly id: string; readonly messageID: string }) {
    const before = drafts.get(part.id)!
    const text = `${++number} `
    drafts.set(part.id, before + text)
    told.push({
      type: "message.delta",
      sessionID,
      messageID: part.messageID,
      partID: part.id,
      offset: before.length,
      text
    })
    show()
  }

  show()
  for (let step = 0; step < steps; step++) oneOf(happenings)!()
  for (const part of openParts()) finishPart(part)
  finishMessage("completed")
  return { told, reads, seqs }
}
