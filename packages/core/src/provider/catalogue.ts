/** The models that a provider says it has. One request, and only where somebody asks for it. */
import { hiddenCharacter } from "@vigil/schema/text"
import { Effect, Schema } from "effect"
import { type Endpoint, keySource } from "./endpoint.ts"

/** The list could not be had. The message says why, without the key. */
export class ModelsUnavailable extends Schema.TaggedError<ModelsUnavailable>()("ModelsUnavailable", {
  provider: Schema.String,
  message: Schema.String
}) {}

const patience = "10 seconds"
const maxBytes = 4 * 1024 * 1024
const maxModels = 2_000
const maxName = 200

/** Names without the provider, as it orders them; 10 seconds, 4 MiB and 2,000 names at most. */
export const listModels = (endpoint: Endpoint): Effect.Effect<ReadonlyArray<string>, ModelsUnavailable> => {
  const { provider, baseUrl } = endpoint
  const failed = (message: string) => new ModelsUnavailable({ provider, message })
  const host = new URL(baseUrl).host
  return Effect.tryPromise({
    try: async (signal) => {
      // A redirection would take the key elsewhere.
      const response = await fetch(`${baseUrl}/models${paging[endpoint.format]}`, {
        headers: headers(endpoint),
        redirect: "error",
        signal
      })
      const text = await bounded(response)
      if (response.status === 401 || response.status === 403) {
        throw failed(`${host} refuses the key (${response.status}). Check ${keySource(endpoint)}.`)
      }
      if (!response.ok) throw failed(`${host} answers ${response.status} when asked for its models.`)
      const names = namesIn(text)
      if (names === undefined) throw failed(`${host} answers, but with no list of models.`)
      return names
    },
    catch: (error) =>
      error instanceof ModelsUnavailable ? error : failed(`${host} can't be asked: ${reasonOf(error)}`)
  }).pipe(
    Effect.timeoutOrElse({
      duration: patience,
      orElse: () => Effect.fail(failed(`${host} did not answer within 10 seconds.`))
    })
  )
}

const paging: Readonly<Record<Endpoint["format"], string>> = {
  anthropic: "?limit=1000",
  google: "?pageSize=1000",
  openai: "",
  "openai-compatible": ""
}

const headers = ({ format, key }: Endpoint): Record<string, string> => {
  if (format === "anthropic") return { "anthropic-version": "2023-06-01", ...(key && { "x-api-key": key }) }
  if (format === "google") return key ? { "x-goog-api-key": key } : {}
  return key ? { authorization: `Bearer ${key}` } : {}
}

const bounded = async ({ body }: Response) => {
  const decoder = new TextDecoder()
  let text = ""
  let bytes = 0
  for await (const chunk of body ?? []) {
    bytes += chunk.byteLength
    if (bytes > maxBytes) throw new Error("its answer is too long")
    text += decoder.decode(chunk, { stream: true })
  }
  return text
}

/** As OpenAI and Anthropic answer, and as Google does. */
const Listing = Schema.Union([
  Schema.Struct({ data: Schema.Array(Schema.Struct({ id: Schema.String })) }),
  Schema.Struct({ models: Schema.Array(Schema.Struct({ name: Schema.String })) })
])
const decode = Schema.decodeUnknownOption(Schema.fromJsonString(Listing))

/** What could not be a model's name is left out: these are another's words. */
const namesIn = (text: string): ReadonlyArray<string> | undefined => {
  const listing = decode(text)
  if (listing._tag === "None") return undefined
  const names =
    "data" in listing.value
      ? listing.value.data.map(({ id }) => id)
      : listing.value.models.map(({ name }) => name.replace(/^models\//u, ""))
  return names
    .filter(
      (name) => name !== "" && name.length <= maxName && !hiddenCharacter.test(name) && !/\s/u.test(name)
    )
    .slice(0, maxModels)
}

const reasonOf = (error: unknown) => (error instanceof Error ? error.message : String(error))
