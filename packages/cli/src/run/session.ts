/** The session that a run works in: a new one, or one that goes on. */
import type { Rule } from "@vigil/schema/permission"
import { DirectoryNotFound } from "@vigil/schema/session"
import type { SessionInfo } from "@vigil/schema/session-info"
import type { Client } from "@vigil/sdk/client"
import { Effect } from "effect"
import { stat } from "node:fs/promises"
import { asked, askedRead, whenRefused } from "../asked.ts"
import { ownEnvironment } from "../environment.ts"
import { sessionAbsent } from "../look.ts"
import { titleOf } from "./prompt.ts"
import { checkUsable } from "./usable.ts"

export interface SessionChoice {
  readonly prompt: string
  readonly directory: string
  readonly rules: ReadonlyArray<Rule>
  readonly model?: string
  readonly sessionID?: string
}

export interface Opened {
  readonly session: SessionInfo
  /** The feed position in front of everything that the run does. */
  readonly after: number
}

/**
 * Nobody is there to be asked while the scope is open, whoever may be afterwards. Added rules stay. A session whose
 * model could not be asked is neither made nor changed.
 */
export const openSession = (client: Client, choice: SessionChoice) =>
  choice.sessionID === undefined ? begin(client, choice) : goOn(client, choice, choice.sessionID)

const begin = Effect.fn("openSession.begin")(function* (
  client: Client,
  { prompt, directory, rules, model }: SessionChoice
) {
  const notFound = new DirectoryNotFound({ directory, message: `There is no directory ${directory}` })
  const found = yield* Effect.promise(() => stat(directory).catch(() => undefined))
  if (!found?.isDirectory()) return yield* notFound
  yield* checkUsable(client, directory, model)
  const { seq } = yield* askedRead<unknown>((signal) => client.session.list({ query: { limit: 1 }, signal }))
  const session = yield* asked<SessionInfo>((signal) =>
    client.session.create({
      body: {
        directory,
        rules: [...rules],
        title: titleOf(prompt),
        unattended: true,
        environment: ownEnvironment(),
        ...(model && { model })
      },
      signal
    })
  ).pipe(whenRefused("DirectoryNotFound", () => Effect.fail(notFound)))
  const opened: Opened = { session, after: seq }
  return opened
})

const goOn = Effect.fn("openSession.goOn")(function* (
  client: Client,
  { rules, model }: SessionChoice,
  sessionID: string
) {
  const path = { sessionID }
  const { body: before, seq } = yield* askedRead<SessionInfo>((signal) =>
    client.session.get({ path, signal })
  ).pipe(
    whenRefused("SessionNotFound", () => Effect.fail(sessionAbsent(sessionID))),
    whenRefused("BadRequest", () => Effect.fail(sessionAbsent(sessionID)))
  )
  yield* checkUsable(client, before.directory, model ?? before.model)
  const added = rules.filter((rule) => !before.rules.some((old) => same(rule, old)))
  const update = (body: { unattended: boolean; model?: string; rules?: Array<Rule> }) =>
    asked<SessionInfo>((signal) => client.session.update({ path, body, signal }))
  const session = yield* Effect.acquireRelease(
    update({ unattended: true, rules: [...before.rules, ...added], ...(model && { model }) }),
    () => (before.unattended ? Effect.void : Effect.ignore(update({ unattended: false })))
  )
  const opened: Opened = { session, after: seq }
  return opened
})

const same = (a: Rule, b: Rule) =>
  a.action === b.action && a.pattern === b.pattern && a.effect === b.effect && a.tightens === b.tightens
