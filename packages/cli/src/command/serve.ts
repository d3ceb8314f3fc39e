/** `vigil serve`: a server for a state directory, until it is told to stop. */
import { StateDirectoryOwned } from "@vigil/core/database/owner"
import { tokenFile } from "@vigil/server/owner/token"
import type { ServeOptions } from "@vigil/server/serve"
import { version } from "@vigil/server/version"
import { Cause, Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"
import { inStateDirectory } from "../contained.ts"
import { Failed } from "../failed.ts"
import { dieIfUnusable, findOwner, type Owner } from "../owner.ts"
import { tellStarter } from "../owner/starter.ts"
import { Screen } from "../screen.ts"
import { exitCodes, Signals } from "../signals.ts"
import { makeStateDirectory } from "../state-directory.ts"
import { firstLine } from "../view/fault.ts"
import { visible } from "../view/visible.ts"

/** From a signal to the end, whatever hangs. */
const maxStopMs = 4_000
/** A detached owner stays so long after its last client. */
const graceMs = 60_000

const flags = {
  port: Flag.Int("port").pipe(
    Flag.withMetavar("N"),
    Flag.withDescription("Where to listen; else a free port"),
    Flag.filter(
      (port) => port >= 0 && port <= 65_535,
      () => "a port from 0 to 65535"
    ),
    Flag.withDefault(0)
  ),
  hostname: Flag.String("hostname").pipe(
    Flag.withMetavar("NAME"),
    Flag.withDescription("Where to listen, 127.0.0.1 unless given; what others can reach needs VIGIL_TOKEN"),
    Flag.filter(
      (hostname) => /^[\w.:[\]-]{1,255}$/u.test(hostname),
      () => "a host name or an address"
    ),
    Flag.withDefault("127.0.0.1")
  ),
  allowHost: Flag.String("allow-host").pipe(
    Flag.withMetavar("NAME"),
    Flag.withDescription("Another name by which it may be called; repeat it for more"),
    Flag.filter(
      (name) => /^[\w.-]{1,255}$/u.test(name),
      () => "a host name without port"
    ),
    Flag.atLeast(0)
  ),
  allowOrigin: Flag.String("allow-origin").pipe(
    Flag.withMetavar("URL"),
    Flag.withDescription("Whose pages may call it from a browser; repeat it for more"),
    Flag.filter(
      (text) => URL.canParse(text) && /^https?:$/u.test(new URL(text).protocol),
      () => "an origin such as https://example.org"
    ),
    Flag.atLeast(0)
  ),
  json: Flag.Boolean("json").pipe(
    Flag.withDescription("Prints url, token and pid as one line of JSON, once it is ready"),
    Flag.withDefault(false)
  ),
  // For who starts an owner of its own: nobody has to be told, and it leaves once nobody needs it.
  detached: Flag.Boolean("detached").pipe(Flag.withHidden, Flag.withDefault(false))
}

type Choice = Omit<ServeOptions, "stateDir">

export const serve = Command.make(
  "serve",
  flags,
  Effect.fnUntraced(function* ({ port, hostname, allowHost, allowOrigin, json, detached }) {
    // From here on a signal is the end that was meant.
    yield* (yield* Signals).serves(maxStopMs)
    yield* inStateDirectory((stateDir) =>
      Effect.gen(function* () {
        yield* makeStateDirectory(stateDir)
        if (detached) return yield* serveDetached(stateDir)
        const token = process.env["VIGIL_TOKEN"] || undefined
        const choice: Choice = {
          port,
          hostname,
          hosts: allowHost,
          origins: allowOrigin.map((url) => new URL(url).origin),
          ...(token !== undefined && { token })
        }
        const { url, token: valid } = yield* served(stateDir, choice)
        yield* json ? tellProgram(url, valid) : tellPerson(stateDir, url, token !== undefined)
        return yield* Effect.never
      }).pipe(Effect.scoped)
    )
  })
).pipe(
  Command.withDescription(
    "Serves the HTTP API of a state directory, in the foreground, until Ctrl-C or SIGTERM. Then turns are interrupted, monitors and background commands end, and so does it, within 5 seconds."
  ),
  Command.withShortDescription("Serve the HTTP API"),
  Command.withExamples([
    { command: "vigil serve" },
    {
      command: "vigil serve --port 4400 --json",
      description: "one line with url, token and pid, for programs"
    },
    {
      command:
        "VIGIL_TOKEN=$(openssl rand -hex 32) vigil serve --hostname 0.0.0.0 --allow-host box.example.org",
      description: "also for other machines, which must know that token"
    }
  ])
)

/** Loaded where it is needed: help and usage errors do without. */
const startServer = (stateDir: string, choice: Choice) =>
  Effect.flatMap(
    Effect.promise(() => import("@vigil/server/serve")),
    ({ serve }) => serve({ ...choice, stateDir })
  ).pipe(Effect.tapError(dieIfUnusable))

/** Where somebody else is the owner, the failure says who. */
const served = Effect.fnUntraced(function* (stateDir: string, choice: Choice) {
  for (;;) {
    const owner = yield* findOwner(stateDir)
    if (Option.isSome(owner)) return yield* taken(stateDir, owner.value)
    const own = yield* startServer(stateDir, choice).pipe(
      Effect.asSome,
      // Somebody was first, or has not left yet.
      Effect.catchTag("StateDirectoryOwned", () => Effect.succeedNone)
    )
    if (Option.isSome(own)) return own.value
  }
})

const taken = (stateDir: string, { url, pid }: Owner) =>
  new Failed({
    code: exitCodes.failed,
    message: `A vigil server has ${visible(stateDir)} already: ${url}, pid ${pid}. Use that one, end it with \`kill ${pid}\`, or name another directory with --state-dir.`
  })

const tellProgram = Effect.fnUntraced(function* (url: string, token: string) {
  yield* (yield* Screen).print(JSON.stringify({ url, token, pid: process.pid }))
})

const tellPerson = Effect.fnUntraced(function* (stateDir: string, url: string, own: boolean) {
  const screen = yield* Screen
  yield* screen.print(`Vigil ${version} listens on ${url} (pid ${process.pid})`)
  yield* screen.print(`  state  ${visible(stateDir)}`)
  yield* screen.print(`  token  ${own ? "VIGIL_TOKEN" : `in ${visible(tokenFile(stateDir))}`}`)
  yield* screen.print("Ctrl-C ends it, and what its agents run.")
})

/** Its starter is told what became of it; where another was first, it finds that one. */
const serveDetached = Effect.fnUntraced(function* (stateDir: string) {
  const { unneeded } = yield* startServer(stateDir, {}).pipe(
    Effect.tap(() => tellStarter({ type: "ready" })),
    Effect.tapCause((cause) => {
      const why = Cause.squash(cause)
      return tellStarter(
        why instanceof StateDirectoryOwned ? { type: "owned" } : { type: "failed", message: firstLine(why) }
      )
    })
  )
  yield* unneeded(graceMs)
})
