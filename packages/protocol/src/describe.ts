/** What a route does, for whoever reads the document or the SDK. */
import { OpenApi } from "effect/http-api"

/** One sentence, which is both the summary and the description. */
export const described =
  (sentence: string) =>
  <A extends { annotateMerge(annotations: ReturnType<typeof OpenApi.annotations>): A }>(endpoint: A): A =>
    endpoint.annotateMerge(OpenApi.annotations({ summary: sentence, description: `${sentence}.` }))
