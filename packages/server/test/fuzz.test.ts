/** Nonsense at every route, made from openapi.json: a clear 4xx or a valid 2xx, never a fault, never a hang. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { Effect, Exit, Scope } from "effect"
import fc from "fast-check"
import { type EdgeWorld, makeEdgeWorld, providerKey, token } from "./lib/edge.ts"

/** The same numbers make the same requests. */
const seed = Number(process.env["FUZZ_SEED"] ?? Math.floor(Math.random() * 2 ** 31))
console.log(`FUZZ_SEED=${seed}`)

const document = await Bun.file(new URL("../../protocol/openapi.json", import.meta.url)).json()

interface Operation {
  readonly method: string
  readonly path: string
  readonly params: ReadonlyArray<{ readonly name: string; readonly in: string; readonly schema: any }>
  readonly body: any
}

const removes = ({ method, path }: Operation) => method === "DELETE" && path.endsWith("/{sessionID}")

const resolve = (schema: any): any =>
  schema?.$ref === undefined ? schema : resolve(document.components.schemas[schema.$ref.split("/").at(-1)])

// What removes a session comes last: until then there is one.
const operations: ReadonlyArray<Operation> = Object.entries<any>(document.paths)
  .flatMap(([path, methods]) =>
    Object.entries<any>(methods).map(([method, operation]) => ({
      method: method.toUpperCase(),
      path,
      params: (operation.parameters ?? []).map((param: any) => ({ ...param, schema: resolve(param.schema) })),
      body: resolve(operation.requestBody?.content["application/json"]?.schema)
    }))
  )
  .toSorted((a, b) => Number(removes(a)) - Number(removes(b)))

let world: EdgeWorld
let known: Readonly<Record<string, string>>
const scope = Scope.makeUnsafe()

beforeAll(async () => {
  world = await Effect.runPromise(Scope.provide(makeEdgeWorld(), scope))
  const [sessionID, other] = [await world.session(), await world.session()]
  const started = (draft: object) =>
    world.send("POST", `/api/session/${other}/monitor`, { command: "true", description: "d", ...draft })
  await started({ id: "mon_other" })
  known = { sessionID, other, monitorID: "mon_other", directory: world.directory }
})
afterAll(() => Effect.runPromise(Scope.close(scope, Exit.void)))

/** What no field takes, or only some do. */
const nonsense = fc.oneof(
  fc.constantFrom(
    "",
    " ",
    "0",
    "-1",
    "1.5",
    "1e9",
    "0x10",
    "NaN",
    "Infinity",
    "99999999999999999999",
    "null",
    "true",
    "../../etc/passwd",
    "..%2f..%2f",
    "\u0000",
    "ses_\u0000",
    "\ud83d",
    "\u202e",
    "__proto__",
    "constructor",
    "'; DROP TABLE session; --",
    "x".repeat(5_000)
  ),
  fc.string({ unit: "grapheme" }),
  fc.integer().map(String)
)

/** Percent signs that mean nothing, and bytes that are no UTF-8. */
const encoded = (text: fc.Arbitrary<string>) =>
  fc.oneof(
    text.map((value) => encodeURIComponent(value.toWellFormed())),
    fc.constantFrom("%", "%zz", "%ff", "%c0%af", "%00", "%2e%2e%2f", "%ed%a0%80")
  )

const idOf = (name: string) =>
  fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom(name) },
    { weight: 2, arbitrary: encoded(nonsense) },
    { weight: 1, arbitrary: fc.constantFrom("ses_none", "mon_none", "sh_1", "ask_1", "inp_1", "ses_") }
  )

/** Values of a schema, or nearly. */
const valueOf = (given: any, depth = 0): fc.Arbitrary<unknown> => {
  const schema = resolve(given) ?? {}
  const wrong: fc.Arbitrary<unknown> = fc.oneof(
    nonsense,
    fc.double(),
    fc.constantFrom(null, true, -1, 1e308, Number.MAX_SAFE_INTEGER, [], {}, [[]], { a: { b: [{}] } }),
    fc.jsonValue({ maxDepth: 2 })
  )
  const right = (): fc.Arbitrary<unknown> => {
    const choices = schema.anyOf ?? schema.oneOf
    if (choices !== undefined && depth < 4)
      return fc.oneof(...choices.map((one: any) => valueOf(one, depth + 1)))
    if (schema.enum !== undefined) return fc.constantFrom(...schema.enum)
    if (schema.type === "array" && depth < 4)
      return fc.array(valueOf(schema.items, depth + 1), { maxLength: 3 })
    if (schema.type === "object" && schema.properties !== undefined && depth < 4)
      return objectOf(schema, depth)
    if (schema.type === "integer" || schema.type === "number") return fc.integer({ min: -10, max: 100_000 })
    if (schema.type === "boolean") return fc.boolean()
    // No command of theirs is run.
    return fc.constantFrom("true", "d", world.directory, "anthropic/scripted", "inp_7", "mon_7")
  }
  return fc.oneof({ weight: 3, arbitrary: right() }, { weight: 1, arbitrary: wrong })
}

const objectOf = (schema: any, depth: number): fc.Arbitrary<object> => {
  const required: ReadonlyArray<string> = schema.required ?? []
  const fields = Object.fromEntries(
    Object.entries<any>(schema.properties).map(([name, inner]) => [name, valueOf(inner, depth + 1)])
  )
  const record = fc.record(fields, { requiredKeys: required.filter((name) => name in fields) })
  const stray = fc.oneof(
    { weight: 6, arbitrary: fc.constant({}) },
    {
      weight: 1,
      arbitrary: fc.dictionary(fc.oneof(fc.string(), fc.constant("__proto__")), fc.jsonValue({ maxDepth: 1 }))
    }
  )
  return fc.tuple(record, stray).map(([object, more]) => ({ ...more, ...object }))
}

const bodyOf = ({ body }: Operation): fc.Arbitrary<BodyInit | undefined> =>
  body === undefined
    ? fc.constantFrom(undefined, "{}", "nonsense")
    : fc.oneof(
        { weight: 8, arbitrary: valueOf(body).map((value) => JSON.stringify(value) ?? "") },
        { weight: 1, arbitrary: valueOf(body).map((value) => (JSON.stringify(value) ?? "").slice(0, -1)) },
        {
          weight: 1,
          arbitrary: fc.constantFrom(
            undefined,
            "",
            "{",
            '{"text":"a","text":"b"}',
            '{"directory":"\\ud800"}',
            "[".repeat(20_000),
            new Uint8Array([0x7b, 0xff, 0x7d])
          )
        }
      )

interface Asked {
  readonly path: string
  readonly init: RequestInit
}

const askedOf = (operation: Operation): fc.Arbitrary<Asked> => {
  const { method, path, params } = operation
  const inPath = params.filter((param) => param.in === "path")
  const inQuery = params.filter((param) => param.in === "query")
  const ids = fc.tuple(...inPath.map(({ name }) => idOf(known[name] ?? "ask_1")))
  const query = fc.tuple(
    fc.tuple(
      ...inQuery.map(({ name, schema }) =>
        fc.option(fc.tuple(fc.constant(name), encoded(valueOf(schema).map(String))), { nil: undefined })
      )
    ),
    fc.oneof(
      { weight: 5, arbitrary: fc.constant([]) },
      { weight: 1, arbitrary: fc.array(fc.tuple(encoded(nonsense), encoded(nonsense)), { maxLength: 2 }) }
    )
  )
  const headers = fc.record(
    {
      "content-type": fc.oneof(
        { weight: 9, arbitrary: fc.constant("application/json") },
        {
          weight: 1,
          arbitrary: fc.constantFrom(
            "text/plain",
            "multipart/form-data",
            "application/json; charset=latin1",
            ""
          )
        }
      ),
      "last-event-id": fc.constantFrom("-1", "1", "NaN", "", "99999999999999999"),
      "content-encoding": fc.constantFrom("gzip", "identity"),
      accept: fc.constantFrom("text/html", "*/*", "")
    },
    { requiredKeys: ["content-type"] }
  )
  return fc
    .record({ ids, query, headers, body: bodyOf(operation) })
    .map(({ ids, query: [named, stray], headers, body }) => {
      const place = ids.reduce<string>(
        (left, id, index) => left.replace(`{${inPath[index]!.name}}`, id),
        path
      )
      const search = [...named.flatMap((pair) => (pair === undefined ? [] : [pair])), ...stray]
        .map(([name, value]) => `${name}=${value}`)
        .join("&")
      return {
        path: `${place}${search === "" ? "" : `?${search}`}`,
        init: { method, headers, ...(method !== "GET" && body !== undefined && { body }) }
      }
    })
}

const patienceMs = 5_000
const runs = 60

/** Everything that a route may say to nonsense. */
const check = async ({ path, init }: Asked) => {
  const slow = new AbortController()
  const timer = setTimeout(() => slow.abort(), patienceMs)
  const response = await world.ask(path, { ...init, signal: slow.signal })
  const { status } = response
  const type = response.headers.get("content-type") ?? ""
  if (type.startsWith("text/event-stream")) {
    await response.body!.cancel()
  } else {
    const text = await response.text()
    expect(text).not.toContain(token)
    expect(text).not.toContain(providerKey)
    if (status !== 204 && init.method !== "HEAD") {
      const body = JSON.parse(text)
      if (status >= 400) {
        expect(body._tag).toBeString()
        expect(body.message).toBeString()
        // A name that is not known may be long itself.
        expect(text.length).toBeLessThan(20_000)
      }
    }
  }
  clearTimeout(timer)
  expect(slow.signal.aborted).toBe(false)
  expect([status, status < 500 && status >= 200]).toEqual([status, true])
}

describe("nonsense", () => {
  for (const operation of operations) {
    const { method, path } = operation
    // A long wait is no hang.
    const waits = path.endsWith("/wait")
    test(`at ${method} ${path} is refused clearly, or is none`, async () => {
      const asked = askedOf(operation).filter(
        ({ path }) => !waits || !/timeoutMs=\d{4,}|until=(idle|quiet)(?!.*timeoutMs)/u.test(path)
      )
      await fc.assert(fc.asyncProperty(asked, check), {
        seed,
        numRuns: runs,
        interruptAfterTimeLimit: 2_000,
        markInterruptAsFailure: false
      })
    })
  }

  test("of 9 MiB is refused at every route that takes a body", async () => {
    const body = new Uint8Array(9 * 1024 * 1024).fill(0x20)
    for (const { method, path } of operations.filter(({ method }) => method !== "GET")) {
      const place = path.replaceAll(/\{(\w+)\}/gu, (_, name) => known[name] ?? "ask_1")
      const response = await world.ask(place, {
        method,
        body,
        headers: { "content-type": "application/json" }
      })
      expect([path, response.status]).toEqual([path, 413])
    }
  })

  test("leaves the server as it was: it answers, and no fault is in its log", async () => {
    expect((await world.ask("/api/health")).status).toBe(200)
    expect(world.logged.filter((line) => line.includes("level=ERROR"))).toEqual([])
  })
})
