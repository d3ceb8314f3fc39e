/** What is sent and answered, an example for each operation: its type asks for one of every operation there is. */
import type { OperationId, RequestOf, ResponseOf } from "../operations.ts"
import { frames } from "./frames.ts"
import {
  ask,
  askID,
  builtOutput,
  config,
  ended,
  lines,
  messages,
  models,
  monitor,
  output,
  prompt,
  saved,
  session,
  shell,
  stopped,
  trusted,
  turn
} from "./nouns.ts"

type Example<Id extends OperationId> = ([RequestOf<Id>] extends [never]
  ? { readonly request?: never }
  : { readonly request: RequestOf<Id> }) &
  (ResponseOf<Id> extends void ? { readonly response?: never } : { readonly response: ResponseOf<Id> })

export const examples: { readonly [Id in Exclude<OperationId, "event.follow">]: Example<Id> } & {
  readonly "event.follow": { readonly response: string; readonly request?: never }
} = {
  "server.health": {
    response: { version: "1.0.0", startedAt: 1_790_000_000_000, storeID: "k2v9x4" }
  },
  "server.ticket": {
    response: { ticket: "3q8zr5w0k7t2v9n4x1c6", expiresAt: 1_790_000_060_000 }
  },
  "session.list": { response: { items: [session], next: session.id } },
  "session.create": {
    request: { directory: "/home/ada/shop", title: "Repair the login" },
    response: session
  },
  "session.get": { response: session },
  "session.update": { request: { title: "Repair the login" }, response: session },
  "session.remove": {},
  "session.prompt": {
    request: { id: prompt.id, text: "Watch the tests while you repair the login." },
    response: prompt
  },
  "session.interrupt": { response: { interrupted: true } },
  "session.wait": { response: { reached: true } },
  "message.list": { response: { items: messages, next: "2" } },
  "turn.list": { response: { items: [turn] } },
  "inbox.list": { response: { items: [lines] } },
  "inbox.withdraw": { response: prompt },
  "monitor.all": { response: { items: [monitor] } },
  "monitor.find": { response: monitor },
  "monitor.list": { response: { items: [monitor] } },
  "monitor.start": {
    request: { command: "npm test -- --watch", description: "Tests of the shop", timeoutMs: 600_000 },
    response: monitor
  },
  "monitor.stopAll": { response: { items: [ended] } },
  "monitor.get": { response: monitor },
  "monitor.stop": { response: ended },
  "monitor.output": { response: output },
  "shell.all": { response: { items: [shell] } },
  "shell.find": { response: shell },
  "shell.list": { response: { items: [shell] } },
  "shell.get": { response: shell },
  "shell.stop": { response: stopped },
  "shell.background": { response: shell },
  "shell.output": { response: builtOutput },
  "permission.list": { response: { items: [ask] } },
  "permission.reply": { request: { reply: "always" }, response: { askID, answer: "always" } },
  "permission.saved": { response: { items: [saved] } },
  "permission.forget": { response: { items: [] } },
  "trust.list": { response: { items: [trusted] } },
  "trust.add": {
    request: { directory: "/home/ada/shop", text: '{ "model": "anthropic/claude-sonnet-4-5" }\n' },
    response: trusted
  },
  "trust.revoke": { response: { revoked: true } },
  "model.list": { response: models },
  "config.get": { response: config },
  "event.follow": { response: frames }
}
