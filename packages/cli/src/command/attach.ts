/** `vigil attach`: the terminal UI on a server that is named. */
import { Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { resolve } from "node:path"
import { inStateDirectory } from "../contained.ts"
import { ownEnvironment } from "../environment.ts"
import { Failed } from "../failed.ts"
import { exitCodes } from "../signals.ts"
import { makeStateDirectory } from "../state-directory.ts"
import { attached, isHere, serverUrl } from "../tui/attached.ts"
import { checkTerminal, openTui } from "../tui/open.ts"

const defaultTokenEnv = "VIGIL_TOKEN"

export const attach = Command.make(
  "attach",
  {
    url: Argument.String("url").pipe(
      Argument.withDescription("Where the server is, such as http://127.0.0.1:4096"),
      Argument.mapTryCatch(
        (text) => serverUrl(text) ?? raise(),
        () => "a URL such as http://127.0.0.1:4096"
      )
    ),
    tokenEnv: Flag.String("token-env").pipe(
      Flag.withMetavar("NAME"),
      Flag.withDescription(`The environment variable with the server's token; else ${defaultTokenEnv}`),
      Flag.withDefault(defaultTokenEnv)
    ),
    session: Flag.String("session").pipe(
      Flag.withMetavar("ID"),
      Flag.withDescription("Goes on with a session"),
      Flag.optional
    ),
    dir: Flag.String("dir").pipe(
      Flag.withAlias("C"),
      Flag.withMetavar("DIR"),
      Flag.withDescription("Where new sessions work, on the server's machine; else the current directory"),
      Flag.withDefault(".")
    )
  },
  Effect.fnUntraced(function* ({ url, tokenEnv, session, dir }) {
    yield* checkTerminal
    const token = process.env[tokenEnv]
    if (!token) return yield* tokenMissing(url, tokenEnv)
    const environment = ownEnvironment()
    yield* inStateDirectory((stateDir) =>
      Effect.gen(function* () {
        yield* makeStateDirectory(stateDir)
        const client = yield* attached({ url, token, tokenFrom: tokenEnv })
        yield* openTui({
          client,
          stateDir,
          directory: resolve(dir),
          ...(Option.isSome(session) && { sessionID: session.value }),
          // What this machine has is of no use on another, and none of its business.
          ...(isHere(url) && { environment })
        })
      })
    )
  })
).pipe(
  Command.withDescription(
    "Opens the terminal UI on a server that is named: another user's, a container's, another machine's. It needs that server's token. Your own server is found by `vigil` without it."
  ),
  Command.withShortDescription("Open the terminal UI on another server"),
  Command.withExamples([
    { command: "VIGIL_TOKEN=… vigil attach http://127.0.0.1:4096" },
    {
      command: "vigil attach https://box.example.org --token-env BOX_TOKEN --dir /srv/shop",
      description: "new sessions work in a directory of that machine"
    }
  ])
)

const raise = (): never => {
  throw new Error("not a server's URL")
}

const tokenMissing = (url: string, tokenEnv: string) =>
  new Failed({
    code: exitCodes.usage,
    message: `The server at ${url} needs its token, and ${tokenEnv} is not set. Set it, or name another variable with --token-env; a server's token is in the file \`token\` of its state directory.`
  })
