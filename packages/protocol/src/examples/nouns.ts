/** One story: Ada's agent repairs a login, and watches the tests meanwhile. */
import { defaults, type EffectiveConfig } from "@vigil/schema/config"
import type { Input } from "@vigil/schema/input"
import type { MessageWithParts } from "@vigil/schema/message"
import type { ModelList } from "@vigil/schema/model"
import type { Monitor } from "@vigil/schema/monitor"
import type { OutputPage } from "@vigil/schema/output"
import type { Ask, SavedAllow } from "@vigil/schema/permission"
import type { SessionInfo } from "@vigil/schema/session-info"
import type { Shell } from "@vigil/schema/shell"
import type { TrustedDirectory } from "@vigil/schema/trust"
import type { Turn } from "@vigil/schema/turn"

export const sessionID = "ses_4c1r9kq2vd7h0x"
export const turnID = "trn_0m8w3ytz5n2b6e"
export const promptID = "inp_x7d2p9sa4k1c8f"
export const monitorID = "mon_6r0v4hj8q3t1zg"
export const shellID = "sh_b5n1e7wk9x2m4d"
export const askID = "ask_9z3c6ft0p8y5vq"

export const messageID = "msg_2k8d5xn0r7v3yb"
export const partID = "prt_1f6q0c9zt4h8ws"

/** By the names of their schemas. */
export const ids = {
  SessionId: sessionID,
  TurnId: turnID,
  InputId: promptID,
  MonitorId: monitorID,
  ShellId: shellID,
  AskId: askID,
  MessageId: messageID,
  PartId: partID
}

const directory = "/home/ada/shop"
const began = 1_790_000_000_000

export const turn: typeof Turn.Encoded = {
  id: turnID,
  sessionID,
  startedAt: began + 1_000,
  endedAt: began + 42_000,
  outcome: "completed",
  steps: 3,
  usage: { inputTokens: 18_240, outputTokens: 912, cacheReadTokens: 15_104 }
}

export const session: typeof SessionInfo.Encoded = {
  id: sessionID,
  directory,
  title: "Repair the login",
  model: "anthropic/claude-sonnet-4-5",
  rules: [{ action: "shell", pattern: "npm test *", effect: "allow" }],
  unattended: false,
  createdAt: began,
  updatedAt: began + 42_000,
  status: "watching",
  turn
}

export const prompt: typeof Input.Encoded = {
  id: promptID,
  sessionID,
  kind: "prompt",
  delivery: "steer",
  origin: "user",
  payload: { type: "prompt", text: "Watch the tests while you repair the login." },
  seq: 12,
  createdAt: began + 900,
  wakes: true
}

export const lines: typeof Input.Encoded = {
  id: `${monitorID}:3`,
  sessionID,
  kind: "synthetic",
  delivery: "steer",
  origin: "monitor",
  payload: {
    type: "lines",
    source: { id: monitorID, description: "Tests of the shop" },
    lines: ["FAIL test/login.test.ts", "1 failed, 41 passed"]
  },
  seq: 15,
  createdAt: began + 61_000,
  wakes: true
}

export const messages: ReadonlyArray<typeof MessageWithParts.Encoded> = [
  {
    seq: 1,
    message: {
      id: promptID,
      sessionID,
      turnID,
      createdAt: began + 1_000,
      role: "user",
      payload: { type: "prompt", text: "Watch the tests while you repair the login." }
    },
    parts: []
  },
  {
    seq: 2,
    message: {
      id: messageID,
      sessionID,
      turnID,
      createdAt: began + 1_200,
      role: "assistant",
      model: "anthropic/claude-sonnet-4-5",
      status: "completed",
      usage: { inputTokens: 6_080, outputTokens: 304, cacheReadTokens: 5_034 },
      endedAt: began + 9_000
    },
    parts: [
      {
        id: partID,
        messageID,
        sessionID,
        type: "text",
        text: "I watch the tests, and begin with the session cookie."
      }
    ]
  }
]

export const monitor: typeof Monitor.Encoded = {
  id: monitorID,
  sessionID,
  shellID,
  source: { type: "command", command: "npm test -- --watch" },
  description: "Tests of the shop",
  delivery: "steer",
  startedBy: "user",
  pid: 48_213,
  status: "running",
  startedAt: began + 3_000,
  expiresAt: began + 603_000,
  ledger: {
    bytesRead: 1_904,
    linesRead: 31,
    linesDelivered: 31,
    linesSuppressed: 0,
    linesPending: 0,
    linesClipped: 0,
    bytesClipped: 0,
    events: 3
  },
  log: { start: 0, size: 1_904 },
  lastLine: "1 failed, 41 passed",
  lastOutputAt: began + 61_000,
  cost: { reads: 3, inputTokens: 18_240, outputTokens: 610 }
}

export const ended: typeof Monitor.Encoded = {
  id: monitorID,
  sessionID,
  shellID,
  source: monitor.source,
  description: monitor.description,
  delivery: "steer",
  startedBy: "user",
  status: "ended",
  startedAt: monitor.startedAt,
  expiresAt: monitor.expiresAt,
  endedAt: began + 90_000,
  reason: "cancelled",
  ledger: monitor.ledger,
  log: monitor.log,
  lastLine: "1 failed, 41 passed",
  lastOutputAt: began + 61_000,
  cost: monitor.cost
}

export const output: typeof OutputPage.Encoded = {
  output: "FAIL test/login.test.ts\n1 failed, 41 passed\n",
  cursor: 1_904,
  start: 0,
  size: 1_904,
  truncated: false,
  ended: false
}

export const shell: typeof Shell.Encoded = {
  id: "sh_3w8k0r6dq1v9pc",
  sessionID,
  command: "npm run build",
  background: true,
  pid: 48_377,
  status: "running",
  startedAt: began + 12_000,
  log: { start: 0, size: 512 }
}

export const builtOutput: typeof OutputPage.Encoded = {
  output: "building for production\n96 modules\n",
  cursor: 512,
  start: 0,
  size: 512,
  truncated: false,
  ended: false
}

export const stopped: typeof Shell.Encoded = {
  id: shell.id,
  sessionID,
  command: shell.command,
  background: true,
  status: "ended",
  startedAt: shell.startedAt,
  endedAt: began + 20_000,
  reason: "cancelled",
  signal: "SIGTERM",
  log: shell.log
}

export const ask: typeof Ask.Encoded = {
  id: askID,
  sessionID,
  tool: "shell",
  callID: "toolu_01",
  title: "npm install cookie-signature",
  subjects: [{ action: "shell", value: "npm install cookie-signature", pattern: "npm install *" }],
  createdAt: began + 15_000
}

export const saved: typeof SavedAllow.Encoded = { action: "shell", pattern: "npm install *" }

export const trusted: typeof TrustedDirectory.Encoded = {
  directory,
  digest: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
  trustedAt: began - 86_400_000
}

export const models: typeof ModelList.Encoded = {
  default: "anthropic/claude-sonnet-4-5",
  defaultFrom: "/home/ada/.config/vigil/vigil.json",
  providers: [
    {
      provider: "anthropic",
      usable: true,
      default: true,
      format: "anthropic",
      baseUrl: "https://api.anthropic.com/v1",
      keyFrom: "ANTHROPIC_API_KEY"
    },
    {
      provider: "openai",
      usable: false,
      default: false,
      format: "openai",
      missing: "Set OPENAI_API_KEY, or run vigil auth openai"
    }
  ]
}

export const config: typeof EffectiveConfig.Encoded = {
  config: { ...defaults, model: "anthropic/claude-sonnet-4-5" },
  origins: { model: "/home/ada/.config/vigil/vigil.json" },
  ignored: []
}
