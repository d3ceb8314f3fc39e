/** A folder for its user alone that goes with the scope. */
import { Effect } from "effect"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

export const temporaryFolder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "vigil-owner-"))),
  (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
)
