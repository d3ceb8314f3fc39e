/** What lists and reads answer with. */
import { Natural } from "@vigil/schema/natural"
import { Schema } from "effect"
import { HttpApiSchema } from "effect/http-api"

/** A part of a list; `next`, where there is more, is what to ask on with. */
export const pageOf = <Item extends Schema.Top>(identifier: string, item: Item) =>
  Schema.Struct({
    items: Schema.Array(item),
    next: Schema.optionalKey(
      Schema.String.annotate({ description: "Asks for the next page; absent on the last one" })
    )
  }).annotate({ identifier })

/** Its position in the feed stands in a header: events up to it are in the answer, later ones are not. */
export const reading = <Body extends Schema.Top>(body: Body) =>
  HttpApiSchema.WithHeaders(body, {
    "vigil-seq": Natural.annotate({
      description: "The feed position that this answer reflects: apply to it only events behind it"
    })
  })
