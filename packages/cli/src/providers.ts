/** Which providers can be asked in a directory, and what the others lack. */
import { Auth } from "@vigil/core/auth"
import { Settings } from "@vigil/core/config"
import type { Endpoint } from "@vigil/core/provider/endpoint"
import { knownProviders as known } from "@vigil/core/provider/known"
import { Effect } from "effect"

export const knownProviders = Effect.fn("knownProviders")(function* (directory: string) {
  const effective = yield* (yield* Settings).effective(directory)
  return known(effective, process.env, yield* (yield* Auth).keys)
})

/** Where the key comes from, in few words. */
export const keyText = ({ keyFrom, provider }: Endpoint): string => {
  if (keyFrom === "config") return `providers.${provider}.apiKey`
  if (keyFrom === "none") return "none"
  return keyFrom.replace(/^environment /u, "")
}
