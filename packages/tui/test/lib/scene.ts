/** Sessions, monitors and messages as the SDK gives them, with only what a test cares about said. */
import type {
  Ask,
  Message,
  ModelList,
  Monitor,
  Part,
  Shell,
  Synthetic,
  ToolPart,
  Turn
} from "@vigil/sdk/wire"
import type { SyncedMessage } from "@vigil/sdk/sync"
import { initial, reduce, type Start } from "../../src/state.ts"
import type { Action, State } from "../../src/state/shape.ts"
import type { CommandId } from "../../src/keys.ts"
import type { Snapshot } from "../../src/store.ts"

/** A quarter past two in the afternoon, wherever the test runs. */
export const now = new Date(2026, 11, 1, 14, 15, 0).getTime()

const sessionID = "ses_4c1r9kq2vd7h0x"
const second = 1_000
export const minute = 60 * second

export const session = (more: Partial<Snapshot["session"]> = {}): Snapshot["session"] => ({
  id: sessionID,
  directory: "/home/ada/loom",
  title: "Watch the build",
  model: "anthropic/claude-sonnet-4-5",
  rules: [],
  unattended: false,
  createdAt: now - 20 * minute,
  updatedAt: now - minute,
  status: "idle",
  ...more
})

export const snapshot = (more: Partial<Snapshot> = {}): Snapshot => ({
  phase: "ready",
  connection: "open",
  session: session(),
  messages: [],
  hasOlder: false,
  turns: [],
  monitors: [],
  shells: [],
  asks: [],
  inbox: [],
  ...more
})

export const monitor = (more: Partial<Monitor> = {}): Monitor => ({
  id: "mon_7k2",
  sessionID,
  shellID: "sh_of_mon",
  source: { type: "command", command: "gh run watch 42" },
  description: "CI run 42",
  delivery: "steer",
  startedBy: "agent",
  status: "running",
  startedAt: now - 200 * second,
  expiresAt: now + 26 * minute + 40 * second,
  ledger: {
    bytesRead: 900,
    linesRead: 14,
    linesDelivered: 14,
    linesSuppressed: 0,
    linesPending: 0,
    linesClipped: 0,
    bytesClipped: 0,
    events: 12
  },
  log: { start: 0, size: 900 },
  lastLine: "test (linux): 214 passed",
  lastOutputAt: now - 4 * second,
  cost: { reads: 3, inputTokens: 9_000, outputTokens: 300 },
  ...more
})

export const ended = (reason: NonNullable<Monitor["reason"]>, more: Partial<Monitor> = {}): Monitor =>
  monitor({ status: "ended", reason, endedAt: now - 2 * minute, startedAt: now - 9 * minute, ...more })

export const shell = (more: Partial<Shell> = {}): Shell => ({
  id: "sh_9d4",
  sessionID,
  command: "npm run dev",
  background: true,
  status: "running",
  startedAt: now - 12 * minute,
  log: { start: 0, size: 4_211 },
  ...more
})

export const ask = (more: Partial<Ask> = {}): Ask => ({
  id: "ask_1",
  sessionID,
  tool: "shell",
  title: "npm run build",
  subjects: [{ action: "shell", value: "npm run build", pattern: "npm run *" }],
  createdAt: now - 3 * minute,
  ...more
})

export const turn = (more: Partial<Turn> = {}): Turn => ({
  id: "trn_1",
  sessionID,
  startedAt: now - 5 * minute,
  endedAt: now - 4 * minute,
  outcome: "completed",
  steps: 2,
  ...more
})

let made = 0
const nextId = (prefix: string) => `${prefix}_${++made}`

const common = () => ({ sessionID, turnID: "trn_1", createdAt: now })

export const user = (text: string): SyncedMessage => ({
  message: { ...common(), id: nextId("inp"), role: "user", payload: { type: "prompt", text } },
  parts: []
})

export const event = (payload: Synthetic): SyncedMessage => ({
  message: { ...common(), id: nextId("inp"), role: "event", origin: "monitor", payload },
  parts: []
})

export const lines = (description: string, ...said: ReadonlyArray<string>): SyncedMessage =>
  event({ type: "lines", source: { id: "mon_7k2", description }, lines: [...said] })

export const text = (said: string): Part => ({
  id: nextId("prt"),
  messageID: "msg_1",
  sessionID,
  type: "text",
  text: said
})

export const thought = (said: string): Part => ({
  id: nextId("prt"),
  messageID: "msg_1",
  sessionID,
  type: "reasoning",
  text: said,
  complete: true
})

export const tool = (name: string, input: unknown, more: Partial<ToolPart> = {}): Part => ({
  id: nextId("prt"),
  messageID: "msg_1",
  sessionID,
  type: "tool",
  callID: nextId("call"),
  name,
  input: JSON.stringify(input),
  status: "completed",
  startedAt: now - 2_300,
  endedAt: now,
  ...more
})

export const assistant = (...parts: ReadonlyArray<Part>): SyncedMessage => ({
  message: {
    ...common(),
    id: nextId("msg"),
    role: "assistant",
    model: "anthropic/claude-sonnet-4-5",
    status: "completed"
  } satisfies Message,
  parts: [...parts]
})

export const models = (more: Partial<ModelList> = {}): ModelList => ({
  default: "anthropic/claude-sonnet-4-5",
  providers: [
    {
      provider: "anthropic",
      usable: true,
      default: true,
      models: ["claude-opus-4-5", "claude-sonnet-4-5", "claude-haiku-4-5"]
    },
    { provider: "openai", usable: false, default: false, missing: "set OPENAI_API_KEY" }
  ],
  ...more
})

export const blankState = (more: Partial<Start> = {}): State =>
  initial({ directory: "/home/ada/loom", columns: 100, rows: 30, now, ...more })

/** A state that has seen this session. */
export const state = (seen: Partial<Snapshot> = {}, more: Partial<Start> = {}): State =>
  act(blankState(more), { type: "modelsListed", models: { type: "loaded", value: models() } }, synced(seen))

export const synced = (more: Partial<Snapshot> = {}): Action => ({ type: "synced", snapshot: snapshot(more) })

export const act = (before: State, ...actions: ReadonlyArray<Action | CommandId>): State =>
  actions.reduce<State>(
    (state, action) =>
      reduce(state, typeof action === "string" ? { type: "command", id: action } : action, now),
    before
  )

export const typed = (text: string): Action => ({ type: "typed", text })
