/** The session that a run works in: a new one, or one that goes on. */
import { Sessions } from "@vigil/core/session"
import type { Rule } from "@vigil/schema/permission"
import { DirectoryNotFound, SessionNotFound } from "@vigil/schema/session"
import { Effect } from "effect"
import { stat } from "node:fs/promises"
import { titleOf } from "./prompt.ts"
import { checkUsable } from "./usable.ts"

export interface SessionChoice {
  readonly prompt: string
  readonly directory: string
  readonly rules: ReadonlyArray<Rule>
  readonly model?: string
  readonly sessionID?: string
}

/**
 * Nobody is there to be asked while the scope is open, whoever may be afterwards. Added rules stay. A session whose
 * model could not be asked is neither made nor changed.
 */
export const openSession = Effect.fn("openSession")(function* (choice: SessionChoice) {
  const sessions = yield* Sessions
  const { prompt, directory, rules, model, sessionID } = choice
  if (sessionID === undefined) {
    const notFound = new DirectoryNotFound({ directory, message: `There is no directory ${directory}` })
    const found = yield* Effect.promise(() => stat(directory).catch(() => undefined))
    if (!found?.isDirectory()) return yield* notFound
    yield* checkUsable(directory, model)
    return yield* sessions
      .create({ directory, rules, title: titleOf(prompt), unattended: true, ...(model && { model }) })
      .pipe(Effect.catchTag("DirectoryNotFound", () => Effect.fail(notFound)))
  }
  const before = yield* sessions.get(sessionID).pipe(
    Effect.catchTag("SessionNotFound", () =>
      Effect.fail(
        new SessionNotFound({
          sessionID,
          message: `There is no session ${sessionID}. \`vigil session list\` shows those there are.`
        })
      )
    )
  )
  yield* checkUsable(before.directory, model ?? before.model)
  const added = rules.filter((rule) => !before.rules.some((old) => same(rule, old)))
  return yield* Effect.acquireRelease(
    sessions.update(sessionID, (session) => ({
      ...session,
      ...(model && { model }),
      unattended: true,
      rules: [...session.rules, ...added]
    })),
    () =>
      before.unattended
        ? Effect.void
        : Effect.ignore(sessions.update(sessionID, (session) => ({ ...session, unattended: false })))
  )
})

const same = (a: Rule, b: Rule) =>
  a.action === b.action && a.pattern === b.pattern && a.effect === b.effect && a.tightens === b.tightens
