/** A command that prints what the test tells it to, when the test tells it. */
import { Effect } from "effect"
import { closeSync, existsSync, openSync, writeSync } from "node:fs"
import { join } from "node:path"
import { waitFor } from "../shell/fixture/oracle.ts"

let number = 0

/** Below `directory`. Ends with exit code 0 once `end` was called. */
export const fifo = (directory: string) =>
  Effect.gen(function* () {
    const path = join(directory, `fifo-${number++}`)
    yield* Effect.promise(() => Bun.$`mkfifo ${path}`.quiet())
    // Read and write: opening does not wait for the command.
    const fd = yield* Effect.acquireRelease(
      Effect.sync(() => ({ value: openSync(path, "r+") as number | undefined })),
      (fd) => Effect.sync(() => fd.value !== undefined && closeSync(fd.value))
    )
    return {
      command: `exec 3<${path}; : >${path}.open; exec cat <&3`,
      write: (text: string | Uint8Array) => {
        const bytes = typeof text === "string" ? Buffer.from(text) : text
        for (let at = 0; at < bytes.length;) at += writeSync(fd.value!, bytes, at)
      },
      /** Once the command reads. */
      end: Effect.promise(async () => {
        if (!(await waitFor(() => existsSync(`${path}.open`)))) throw new Error("Nobody reads the fifo")
        closeSync(fd.value!)
        fd.value = undefined
      })
    }
  })
