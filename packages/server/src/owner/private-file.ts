/** Files that only their user may read: written whole or not at all, and not believed where others could get at them. */
import { Effect, Schema } from "effect"
import { randomBytes } from "node:crypto"
import { constants } from "node:fs"
import { type FileHandle, open, rename, rm } from "node:fs/promises"

/** What it says may have been read, or written, by somebody else. */
export class FileNotPrivate extends Schema.TaggedError<FileNotPrivate>()("FileNotPrivate", {
  file: Schema.String,
  message: Schema.String
}) {}

/** Undefined where there is none. What can't be read otherwise is a defect. */
export const readPrivate = Effect.fn("readPrivate")(function* (file: string, maxBytes: number) {
  // A pipe in its place must not be waited for.
  const handle = yield* opened(file, constants.O_RDONLY | constants.O_NONBLOCK)
  if (handle === undefined) return undefined
  return yield* Effect.ensuring(
    Effect.gen(function* () {
      const found = yield* Effect.promise(() => handle.stat())
      if (!found.isFile() || found.size > maxBytes) {
        return yield* notPrivate(file, `${file} is not a file that Vigil wrote. Remove it.`)
      }
      if (found.uid !== process.getuid?.()) {
        return yield* notPrivate(file, `${file} belongs to another user, so it is not used. Remove it.`)
      }
      if ((found.mode & 0o077) !== 0) {
        return yield* notPrivate(file, `${file} may be read by other users, so it is not used. Remove it.`)
      }
      return yield* Effect.promise(() => handle.readFile("utf8"))
    }),
    Effect.promise(() => handle.close())
  )
})

/** All of it or nothing, and never readable for others in between. */
export const writePrivate = (file: string, text: string): Effect.Effect<void> =>
  Effect.promise(async () => {
    const draft = `${file}.${randomBytes(6).toString("hex")}`
    try {
      const handle = await open(draft, "wx", 0o600)
      try {
        await handle.writeFile(text)
        await handle.sync()
      } finally {
        await handle.close()
      }
      await rename(draft, file)
    } catch (error) {
      await rm(draft, { force: true })
      throw error
    }
  })

const opened = (file: string, flags: number): Effect.Effect<FileHandle | undefined> =>
  Effect.promise(() =>
    open(file, flags).catch((error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT") return undefined
      throw error
    })
  )

const notPrivate = (file: string, message: string) => new FileNotPrivate({ file, message })
