/** Configuration files, what of a project's does not count, and whether models can be asked. */
import { Auth } from "@vigil/core/auth"
import { Settings } from "@vigil/core/config"
import { maskedUrl } from "@vigil/core/config/masked"
import { type Endpoint, keySource } from "@vigil/core/provider/endpoint"
import { listModels } from "@vigil/core/provider/catalogue"
import type { Known } from "@vigil/core/provider/known"
import type { ConfigInvalid } from "@vigil/schema/config"
import { bind } from "@vigil/tui/keys"
import { Effect, Result } from "effect"
import { statSync } from "node:fs"
import { knownProviders } from "../providers.ts"
import { count } from "../view/quantity.ts"
import { type Check, ok, warning, wrong } from "./check.ts"

export const files = Effect.fn("doctor.files")(function* (directory: string) {
  const settings = yield* Settings
  const mine = yield* Effect.result(settings.user)
  if (Result.isFailure(mine)) return [invalid("config", mine.failure)]
  const checks = [
    userFile(
      settings.userFile,
      Object.values(mine.success.providers).some(({ apiKey }) => apiKey)
    ),
    ...bind(mine.success.keys).problems.map((problem) =>
      warning("keys", problem, `Correct ${settings.userFile}; \`vigil\` shows all commands and keys under ?`)
    )
  ]
  const theirs = yield* Effect.result(settings.project(directory))
  if (Result.isFailure(theirs)) return [...checks, invalid("project", theirs.failure)]
  const project = theirs.success
  if (!project) return checks
  const { ignored } = yield* settings.effective(directory)
  if (ignored.length === 0) return [...checks, ok("project", project.file)]
  const keys = ignored.map(({ key }) => key).join(", ")
  const what = `${count(ignored.length, "setting")} of ${project.file} ${ignored.length === 1 ? "does" : "do"} not count: ${keys}`
  return [
    ...checks,
    project.trusted
      ? warning("project", what, "They hold for the whole server: move them to your own vigil.json")
      : warning("project", what, `See what they change, and trust the file: vigil trust`)
  ]
})

const userFile = (file: string, holdsKey: boolean): Check => {
  // As .jsonc it has another name; what counts is whether others may read what it holds.
  const stat = [file, `${file}c`].flatMap((path) => {
    const found = statSync(path, { throwIfNoEntry: false })
    return found ? [{ path, mode: found.mode }] : []
  })[0]
  if (stat === undefined) return ok("config", `${file} is not there; defaults hold`)
  return holdsKey && (stat.mode & 0o044) !== 0
    ? warning(
        "config",
        `${stat.path} holds a key, and other users may read it`,
        `chmod 600 '${stat.path}', or move the key: vigil auth login`
      )
    : ok("config", stat.path)
}

const invalid = (name: string, { message, file }: ConfigInvalid) => wrong(name, message, `Correct ${file}`)

export const keys = Effect.gen(function* () {
  const auth = yield* Auth
  const stored = yield* Effect.result(auth.stored)
  if (Result.isFailure(stored)) {
    return wrong("keys", stored.failure.message, "Until then no key of vigil auth is used")
  }
  const names = Object.keys(stored.success)
  return ok(
    "keys",
    names.length === 0 ? "vigil auth keeps none" : `vigil auth keeps those of ${names.join(", ")}`
  )
})

/** The default model, then everybody else who can be asked. Requests are made only with `online`. */
export const models = Effect.fn("doctor.models")(
  function* (directory: string, online: boolean) {
    const known = yield* knownProviders(directory)
    const usable = known.providers.filter(({ endpoint }) => endpoint !== undefined)
    const checks = usable.map(({ name, endpoint }) => offline(name, endpoint!))
    const asked = online
      ? yield* Effect.forEach(usable, ({ name, endpoint }) => answers(name, endpoint!, known.model), {
          concurrency: 8
        })
      : []
    return [defaultModel(known), ...checks, ...asked]
  },
  // The file that is wrong has its own line.
  Effect.catchTag("ConfigInvalid", () => Effect.succeed<ReadonlyArray<Check>>([]))
)

const defaultModel = ({ model, providers }: Known): Check => {
  if (model === undefined) {
    return warning(
      "model",
      "none is set",
      'Set "model" in vigil.json, or name one with --model provider/model'
    )
  }
  const chosen = providers.find(({ isDefault }) => isDefault)
  if (chosen === undefined) {
    return wrong(
      "model",
      `"${model}" is no model`,
      "Write provider/model, such as anthropic/claude-sonnet-4-5"
    )
  }
  return chosen.endpoint
    ? ok("model", `${model}, with ${keySource(chosen.endpoint)}`)
    : wrong("model", `${model} can't be asked`, chosen.missing ?? "")
}

const offline = (name: string, endpoint: Endpoint): Check => {
  const { protocol, hostname } = new URL(endpoint.baseUrl)
  const shown = maskedUrl(endpoint.baseUrl)
  return protocol === "http:" && endpoint.key !== undefined && !isLocal(hostname)
    ? warning(name, `${shown} gets the key unencrypted`, `Use https in providers.${name}.baseUrl`)
    : ok(name, shown)
}

const isLocal = (host: string) => host === "localhost" || host === "[::1]" || /^127(\.\d+){3}$/u.test(host)

const answers = (name: string, endpoint: Endpoint, model: string | undefined) =>
  listModels(endpoint).pipe(
    Effect.match({
      onFailure: ({ message }) =>
        wrong(name, message, `Correct the key or providers.${name}, or try again later`),
      onSuccess: (models) => {
        const wanted = model?.startsWith(`${name}/`) ? model.slice(name.length + 1) : undefined
        return wanted === undefined || models.includes(wanted)
          ? ok(name, `answers, and has ${count(models.length, "model")}`)
          : warning(name, `answers, but does not list ${wanted}`, "See what it has: vigil models --remote")
      }
    })
  )
