/** `vigil models`: who can be asked, what is missing for the others, and what they have. */
import { maskedUrl } from "@vigil/core/config/masked"
import { listModels } from "@vigil/core/provider/catalogue"
import type { KnownProvider } from "@vigil/core/provider/known"
import { Effect } from "effect"
import { Command, Flag } from "effect/cli"
import { dirFlag, existingDirectory, withSettings } from "../configured.ts"
import { Failed } from "../failed.ts"
import { keyText, knownProviders } from "../providers.ts"
import { Screen } from "../screen.ts"
import { exitCodes } from "../signals.ts"
import { table } from "../view/table.ts"
import { visible } from "../view/visible.ts"

export const models = Command.make(
  "models",
  {
    remote: Flag.Boolean("remote").pipe(
      Flag.withDescription("Asks every provider that can be asked for its models, 10 seconds at most"),
      Flag.withDefault(false)
    ),
    dir: dirFlag,
    json: Flag.Boolean("json").pipe(Flag.withDescription("Prints JSON"), Flag.withDefault(false))
  },
  Effect.fnUntraced(function* ({ remote, dir, json }) {
    const screen = yield* Screen
    const directory = yield* existingDirectory(dir)
    const known = yield* withSettings(() => knownProviders(directory))
    const listed = yield* Effect.forEach(known.providers, (provider) => withModels(provider, remote), {
      concurrency: 8
    })
    if (json) {
      const { model, modelFrom } = known
      yield* screen.print(
        JSON.stringify({
          ...(model !== undefined && { default: model, defaultFrom: modelFrom }),
          providers: listed.map(({ provider, models, failed }) => ({
            ...described(provider),
            ...(models && { models }),
            ...(failed !== undefined && { failed })
          }))
        })
      )
    } else {
      const rows = listed.map(({ provider }) => row(provider))
      for (const line of table([["PROVIDER", "KEY", "ASKED AT"], ...rows])) yield* screen.print(visible(line))
      yield* screen.print("")
      yield* screen.print(
        known.model === undefined
          ? 'Default: none. Set "model" in vigil.json, or name one with --model.'
          : visible(`Default: ${known.model} (${known.modelFrom})`)
      )
      if (remote) yield* screen.print("")
      for (const { provider, models } of listed) {
        for (const name of models ?? []) {
          const model = `${provider.name}/${name}`
          yield* screen.print(visible(model === known.model ? `${model} (default)` : model))
        }
      }
    }
    const failures = listed.flatMap(({ failed }) => failed ?? [])
    if (failures.length > 0) {
      return yield* new Failed({ code: exitCodes.failed, message: visible(failures.join(" ")) })
    }
  })
).pipe(
  Command.withDescription(
    "Tells which providers can be asked, what is missing for the others, and which model is the default. No request is made without --remote."
  ),
  Command.withShortDescription("Which providers and models can be used"),
  Command.withExamples([
    { command: "vigil models" },
    { command: "vigil models --remote", description: "asks the providers for what they have" },
    { command: "vigil models --json | jq -r '.providers[] | select(.usable) | .provider'" }
  ])
)

interface Listed {
  readonly provider: KnownProvider
  readonly models?: ReadonlyArray<string>
  readonly failed?: string
}

const withModels = (provider: KnownProvider, remote: boolean): Effect.Effect<Listed> =>
  remote && provider.endpoint
    ? listModels(provider.endpoint).pipe(
        Effect.match({
          onFailure: ({ message }) => ({ provider, failed: `${provider.name}: ${message}` }),
          onSuccess: (models) => ({ provider, models })
        })
      )
    : Effect.succeed({ provider })

const row = ({ name, endpoint, missing = "" }: KnownProvider) =>
  endpoint ? [name, keyText(endpoint), maskedUrl(endpoint.baseUrl)] : [name, "-", missing]

const described = ({ name, endpoint, missing, isDefault }: KnownProvider) => ({
  provider: name,
  usable: endpoint !== undefined,
  default: isDefault,
  ...(endpoint && {
    format: endpoint.format,
    baseUrl: maskedUrl(endpoint.baseUrl),
    keyFrom: endpoint.keyFrom
  }),
  ...(missing !== undefined && { missing })
})
