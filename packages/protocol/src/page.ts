/** What lists and reads answer with. */
import { about } from "@vigil/schema/about"
import { Natural } from "@vigil/schema/natural"
import { Schema } from "effect"
import { HttpApiSchema } from "effect/http-api"

/** A part of a list; `next`, where there is more, is what to ask on with. */
export const pageOf = <Item extends Schema.Top>(identifier: string, description: string, item: Item) =>
  Schema.Struct({
    items: about("As many as the page holds", Schema.Array(item)),
    next: about("Asks for the next page; absent on the last one", Schema.optionalKey(Schema.String))
  }).annotate({ identifier, description })

/** Its position in the feed stands in a header: events up to it are in the answer, later ones are not. */
export const reading = <Body extends Schema.Top>(body: Body) =>
  HttpApiSchema.WithHeaders(body, {
    "vigil-seq": about(
      "The feed position that this answer reflects: apply to it only events behind it",
      Natural
    )
  })
