/** `vigil auth`: keys, kept for their user alone. */
import { Auth, maskedKey } from "@vigil/core/auth"
import { Settings } from "@vigil/core/config"
import { endpointOf, keySource } from "@vigil/core/provider/endpoint"
import { Clock, Effect, Result } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { withSettings } from "../configured.ts"
import { Failed } from "../failed.ts"
import { secret, somebodyThere } from "../question.ts"
import { Screen } from "../screen.ts"
import { exitCodes } from "../signals.ts"
import { age } from "../view/quantity.ts"
import { table } from "../view/table.ts"
import { visible } from "../view/visible.ts"

const provider = Argument.String("provider").pipe(
  Argument.withDescription("anthropic, openai, google, or another's name in vigil.json")
)

const login = Command.make(
  "login",
  { provider },
  Effect.fnUntraced(function* ({ provider }) {
    const screen = yield* Screen
    yield* withSettings(() =>
      Effect.gen(function* () {
        const auth = yield* Auth
        // What is wrong with the file is said before anybody types.
        yield* auth.stored
        yield* auth.login(provider, yield* readKey(provider))
        yield* screen.tell(`The key of ${visible(provider)} is kept in ${visible(auth.file)}.`)
        const hint = yield* whatElse(provider)
        if (hint !== undefined) yield* screen.tell(`! ${hint}`)
      })
    )
  })
).pipe(
  Command.withDescription(
    "Keeps a provider's key. It is asked for without being shown, or read from stdin; never an argument, which others could see. What vigil.json and the environment say comes before it."
  ),
  Command.withShortDescription("Keep a provider's key"),
  Command.withExamples([
    { command: "vigil auth login anthropic" },
    { command: "pass show openai | vigil auth login openai", description: "the key comes from stdin" }
  ])
)

const readKey = Effect.fnUntraced(function* (provider: string) {
  if (yield* somebodyThere) return yield* secret(`Key of ${visible(provider)}`)
  if (!process.stdin.isTTY) return yield* Effect.promise(stdinStart)
  // It would be shown as it is typed.
  return yield* new Failed({
    code: exitCodes.failed,
    message: "The key is typed where stdout is a terminal too, or comes from stdin."
  })
})

const maxInput = 65_536

/** No key is longer, and a pipe may be without end. */
const stdinStart = async () => {
  const decoder = new TextDecoder()
  let text = ""
  for await (const chunk of Bun.stdin.stream()) {
    text += decoder.decode(chunk, { stream: true })
    if (text.length > maxInput) break
  }
  return text
}

/** What keeps the stored key from being used. */
const whatElse = Effect.fnUntraced(function* (provider: string) {
  const keys = yield* (yield* Auth).keys
  const user = yield* Effect.option((yield* Settings).user)
  if (user._tag === "None") return undefined
  const found = endpointOf(`${provider}/-`, user.value.providers, process.env, keys)
  if (Result.isFailure(found)) return visible(found.failure.message)
  return found.success.keyFrom === "vigil auth"
    ? undefined
    : `It is not used while there is ${visible(keySource(found.success))}.`
})

const list = Command.make(
  "list",
  { json: Flag.Boolean("json").pipe(Flag.withDescription("Prints JSON"), Flag.withDefault(false)) },
  Effect.fnUntraced(function* ({ json }) {
    const screen = yield* Screen
    yield* withSettings(() =>
      Effect.gen(function* () {
        const stored = Object.entries(yield* (yield* Auth).stored)
        if (stored.length === 0 && !json) {
          return yield* screen.tell("No keys are kept. Keep one with: vigil auth login PROVIDER")
        }
        const now = yield* Clock.currentTimeMillis
        const rows: Array<ReadonlyArray<string>> = []
        for (const [provider, { key, addedAt }] of stored) {
          const unused = yield* whatElse(provider)
          if (json) {
            yield* screen.print(
              JSON.stringify({ provider, key: maskedKey(key), addedAt, used: unused === undefined })
            )
          } else rows.push([visible(provider), visible(maskedKey(key)), age(now - addedAt), unused ?? "used"])
        }
        if (json) return
        for (const row of table([["PROVIDER", "KEY", "KEPT", ""], ...rows])) yield* screen.print(row)
      })
    )
  })
).pipe(
  Command.withDescription("Lists whose keys are kept, with the end of each; with --json a key a line."),
  Command.withShortDescription("List whose keys are kept"),
  Command.withExamples([{ command: "vigil auth list" }])
)

const logout = Command.make(
  "logout",
  { provider },
  Effect.fnUntraced(function* ({ provider }) {
    const screen = yield* Screen
    yield* withSettings(() =>
      Effect.gen(function* () {
        if (!(yield* (yield* Auth).logout(provider))) {
          return yield* new Failed({
            code: exitCodes.failed,
            message: `No key of ${visible(provider)} is kept. \`vigil auth list\` shows whose are.`
          })
        }
        yield* screen.tell(`The key of ${visible(provider)} is forgotten.`)
      })
    )
  })
).pipe(
  Command.withDescription(
    "Forgets a provider's key. To withdraw the key itself is for the provider's web site."
  ),
  Command.withShortDescription("Forget a provider's key"),
  Command.withExamples([{ command: "vigil auth logout anthropic" }])
)

export const auth = Command.make("auth").pipe(
  Command.withDescription(
    "Keeps the keys of providers, in vigil-auth.json in the state directory, for its user alone."
  ),
  Command.withShortDescription("Keep, list and forget keys"),
  Command.withExamples([{ command: "vigil auth login anthropic" }, { command: "vigil auth list" }]),
  Command.withSubcommands([login, list, logout])
)
