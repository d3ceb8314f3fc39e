/** What a route does, for whoever reads the document or the SDK. */
import { Context } from "effect"
import { OpenApi } from "effect/http-api"

/** One sentence, which is both the summary and the description. */
export const described =
  (sentence: string) =>
  <A extends { annotateMerge(annotations: ReturnType<typeof OpenApi.annotations>): A }>(endpoint: A): A =>
    endpoint.annotateMerge(OpenApi.annotations({ summary: sentence, description: `${sentence}.` }))

/** A route that answers whoever asks. All others want the token. */
export const NeedsNoToken = Context.Reference<boolean>("protocol/NeedsNoToken", {
  defaultValue: () => false
})
