import { describe, expect, test } from "bun:test"
import { FeedEvent } from "@vigil/schema/server"
import { Schema } from "effect"
import { HttpApiSchema } from "effect/http-api"
import { frames } from "../src/examples/frames.ts"
import { examples } from "../src/examples/operations.ts"
import { refusals } from "../src/examples/refusals.ts"
import { openapi } from "../src/openapi.ts"
import { operations } from "../src/operations.ts"

const declared = [...operations()]
const document: any = JSON.parse(JSON.stringify(openapi()))
const shown: Readonly<Record<string, { readonly request?: unknown; readonly response?: unknown }>> = examples

const decode = (schema: Schema.Top, value: unknown) =>
  Schema.decodeUnknownSync(schema as Schema.Codec<unknown, unknown>)(value, { onExcessProperty: "error" })

/** What an operation answers with, without its headers. */
const bodies = declared.flatMap(([id, { successes }]) =>
  [...successes.values()].flat().map((schema) => ({
    id,
    schema: HttpApiSchema.isWithHeaders(schema) ? schema.schema : schema
  }))
)

describe("the examples", () => {
  test("are there for every operation", () => {
    expect(Object.keys(shown).toSorted()).toEqual(declared.map(([id]) => id).toSorted())
  })

  test.each(bodies.filter(({ schema }) => !HttpApiSchema.isNoContent(schema.ast)))(
    "answer $id as its schema says",
    ({ id, schema }) => {
      expect(() => decode(schema, shown[id]?.response)).not.toThrow()
    }
  )

  test("send what the schemas take", () => {
    const sending = declared.flatMap(([id, { endpoint }]) =>
      [...endpoint.payload.values()].flatMap(({ schemas }) => schemas.map((schema) => ({ id, schema })))
    )
    expect(sending.length).toBeGreaterThan(5)
    for (const { id, schema } of sending) expect(() => decode(schema, shown[id]?.request), id).not.toThrow()
  })

  test("refuse as each error does", () => {
    const errors = new Map(
      declared.flatMap(([, { errors }]) =>
        [...errors.values()]
          .flat()
          .map((schema) => [Schema.resolveAnnotations(schema)?.identifier, schema] as const)
      )
    )
    expect(Object.keys(refusals).toSorted()).toEqual([...errors.keys()].map(String).toSorted())
    for (const [tag, schema] of errors) expect(decode(schema, refusals[String(tag)])).toBeInstanceOf(Error)
  })

  test("show frames as a feed has them: an event carries its place as id, what is of the moment carries none", () => {
    const read = frames
      .split("\n\n")
      .filter((frame) => frame.includes("data: "))
      .map((frame) => ({
        id: /^id: (\d+)$/mu.exec(frame)?.[1],
        event: decode(FeedEvent, JSON.parse(/^data: (.*)$/mu.exec(frame)![1]!)) as FeedEvent
      }))
    expect(read.map(({ event }) => event.type)).toEqual([
      "connected",
      "monitor.event",
      "inbox.admitted",
      "message.delta"
    ])
    for (const { id, event } of read) expect(id).toBe("created" in event ? String(event.seq) : undefined)
  })

  test("stand in the document, wherever there is a body", () => {
    const media = Object.values<any>(document.paths)
      .flatMap((path) => Object.values<any>(path))
      .flatMap(({ responses, requestBody }) => [requestBody, responses["200"]])
      .flatMap((body) => Object.values<any>(body?.content ?? {}))
    expect(media.length).toBeGreaterThan(40)
    expect(media.filter((media) => !("example" in media) && !("examples" in media))).toEqual([])
    expect(document.components.schemas.TooManyMonitors.examples).toEqual([refusals["TooManyMonitors"]])
    expect(document.components.schemas.SessionId.examples).toEqual(["ses_4c1r9kq2vd7h0x"])
  })
})
