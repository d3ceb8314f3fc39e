/** The environment of the commands an agent runs. */
import type { Config } from "@vigil/schema/config"
import type { Session } from "@vigil/schema/session"
import { variablesRead } from "./provider/endpoint.ts"

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

/** What a session's commands see of the server's environment. */
export const commandEnvironment = (
  { providers, model, shell }: Config,
  session: Session,
  extra: Readonly<Record<string, string>> = {}
): Record<string, string> =>
  childEnvironment({
    env: process.env,
    providerVariables: variablesRead(
      providers,
      [model, session.model].flatMap((name) => name ?? [])
    ),
    passEnv: shell.passEnv,
    extra: { ...extra, VIGIL_SESSION_ID: session.id }
  })
