/** The environment of the commands an agent runs. */
import { type Config, defaults } from "@vigil/schema/config"
import { Environment } from "@vigil/schema/environment"
import type { Session } from "@vigil/schema/session"
import { Context, Effect, Layer, Option, Schema } from "effect"
import { Settings } from "./config.ts"
import { Kv } from "./kv.ts"
import { variablesRead } from "./provider/endpoint.ts"
import { Sessions } from "./session.ts"

export interface EnvironmentOptions {
  /** What the server was started with. */
  readonly env: Readonly<Record<string, string | undefined>>
  /** Names that providers read their keys and addresses from. */
  readonly providerVariables: Iterable<string>
  /** Names that are let through all the same (`shell.passEnv`). */
  readonly passEnv?: Iterable<string>
  /** Set in any case, for example `VIGIL_SESSION_ID`. */
  readonly extra?: Readonly<Record<string, string>>
}

/** Everything but what providers read and Vigil's own variables, so that no command sees a key. */
export const childEnvironment = ({
  env,
  providerVariables,
  passEnv = [],
  extra = {}
}: EnvironmentOptions): Record<string, string> => {
  const passed = new Set(passEnv)
  const secret = new Set(providerVariables)
  const inherited = Object.entries(env).filter(
    (entry): entry is [string, string] =>
      entry[1] !== undefined &&
      (passed.has(entry[0]) || !(secret.has(entry[0]) || entry[0].startsWith("VIGIL_")))
  )
  return { ...Object.fromEntries(inherited), ...extra }
}

/** The environments that sessions' clients sent, kept apart from the sessions: no event and no answer tells them. */
export class Environments extends Context.Service<
  Environments,
  {
    /** Without what providers read and Vigil's own. In the open transaction. */
    keep(session: Session, environment: Environment): Effect.Effect<void>
    /** What a session's commands run with: what its client sent, else what the server was started with. */
    of(
      session: Session,
      config: Config,
      extra?: Readonly<Record<string, string>>
    ): Effect.Effect<Record<string, string>>
  }
>()("core/Environments") {
  static readonly layer = Layer.effect(
    Environments,
    Effect.gen(function* () {
      const kv = yield* Kv
      const settings = yield* Settings
      const sessions = yield* Sessions

      const keep = Effect.fn("Environments.keep")(function* (session: Session, environment: Environment) {
        const config = yield* Effect.orElseSucceed(settings.for(session.directory), () => defaults)
        yield* kv.set(environmentKey(session.id), scrubbed(environment, session, config))
      })

      const kept = Effect.fnUntraced(function* ({ id }: Session) {
        const stored = yield* kv.get(environmentKey(id))
        if (Option.isNone(stored)) return process.env
        const environment = decode(stored.value)
        if (Option.isSome(environment)) return environment.value
        yield* Effect.logWarning(`The environment of ${id} can't be read; its commands have the server's`)
        return process.env
      })

      const of = Effect.fn("Environments.of")(function* (
        session: Session,
        config: Config,
        extra: Readonly<Record<string, string>> = {}
      ) {
        const env = scrubbed(yield* kept(session), session, config)
        return { ...env, ...extra, VIGIL_SESSION_ID: session.id }
      })

      yield* sessions.onRemove({
        within: (sessionID) => kv.remove(environmentKey(sessionID)),
        after: () => Effect.void
      })
      return Environments.of({ keep, of })
    })
  )
}

const scrubbed = (
  env: EnvironmentOptions["env"],
  session: Session,
  { providers, model, shell }: Config
): Record<string, string> =>
  childEnvironment({
    env,
    providerVariables: variablesRead(
      providers,
      [model, session.model].flatMap((name) => name ?? [])
    ),
    passEnv: shell.passEnv
  })

const environmentKey = (sessionID: string) => `environment/${sessionID}`
const decode = Schema.decodeUnknownOption(Environment)
