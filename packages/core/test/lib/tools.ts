/** A session in a temporary directory, and its tools. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import type { Rule } from "@vigil/schema/permission"
import { SessionId } from "@vigil/schema/session"
import { Effect, Layer } from "effect"
import { Bus } from "../../src/bus.ts"
import { Settings } from "../../src/config.ts"
import { Database } from "../../src/database.ts"
import { Kv } from "../../src/kv.ts"
import { Permissions } from "../../src/permission.ts"
import type { Tool, ToolCall } from "../../src/tool.ts"
import { Readings } from "../../src/tools/reading.ts"

/** Real permissions over a database of its own; nobody answers asks. */
export const toolLayer = Layer.mergeAll(Permissions.layer, Readings.layer).pipe(
  Layer.provideMerge(Bus.layer),
  Layer.provideMerge(Kv.layer),
  Layer.provideMerge(Database.layerTest),
  Layer.provideMerge(Settings.layerTest())
)

/** Files by their paths below a fresh directory, which is removed with the scope. */
export const temporaryDirectory = (files: Record<string, string | Uint8Array> = {}) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const directory = realpathSync(mkdtempSync(join(tmpdir(), "vigil-tools-")))
      for (const [path, content] of Object.entries(files)) {
        mkdirSync(dirname(join(directory, path)), { recursive: true })
        writeFileSync(join(directory, path), content)
      }
      return directory
    }),
    (directory) => Effect.sync(() => rmSync(directory, { recursive: true, force: true }))
  )

/** Allows edits, as a person would. */
export const allowEdits: ReadonlyArray<Rule> = [{ action: "edit", pattern: "*", effect: "allow" }]
/** Allows other directories, as a person would. */
export const allowOutside: ReadonlyArray<Rule> = [{ action: "directory", pattern: "*", effect: "allow" }]

/** A call from an unattended session: what would ask fails. */
export const callFrom = (
  directory: string,
  options: { readonly rules?: ReadonlyArray<Rule>; readonly session?: string } = {}
): ToolCall => ({
  session: {
    id: SessionId.make(options.session ?? "ses_1"),
    directory,
    rules: [...(options.rules ?? allowEdits)],
    unattended: true,
    createdAt: 0,
    updatedAt: 0
  },
  messageID: "msg_1",
  callID: "call_1"
})

/** What the model reads: the output, or why it failed. */
export const answer = <Input>(tool: Tool<Input>, input: Input, call: ToolCall) =>
  tool.execute(input, call).pipe(
    Effect.map(({ output }) => output),
    Effect.catchTag("ToolFailed", ({ message }) => Effect.succeed(`FAILED ${message}`))
  )
