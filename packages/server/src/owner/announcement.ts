/**
 * `server.json`: where the owner of a state directory is to be found, once it answers.
 *
 * It says nothing about who owns: the lock does. One that a killed owner left behind is known by an address where
 * nobody answers, or another.
 */
import { Effect, Option, Schema, type Scope } from "effect"
import { rm } from "node:fs/promises"
import { join } from "node:path"
import { readPrivate, writePrivate } from "./private-file.ts"

export const Announcement = Schema.Struct({
  url: Schema.String.check(Schema.isPattern(/^http:\/\/[^/\s]+$/u)),
  pid: Schema.Int,
  version: Schema.String,
  /** As its health tells it, which a stranger at that address does not. */
  startedAt: Schema.Int,
  /** Whether clients find the token in its file, or the user must tell it. */
  token: Schema.Literals(["file", "user"])
})
export interface Announcement extends Schema.Schema.Type<typeof Announcement> {}

export const announcementFile = (stateDir: string) => join(stateDir, "server.json")

const maxFileBytes = 16_384
const decode = Schema.decodeUnknownOption(Schema.fromJsonString(Announcement))

/** None where nobody has said anything, or something that is not to be believed. */
export const readAnnouncement = (stateDir: string): Effect.Effect<Option.Option<Announcement>> =>
  readPrivate(announcementFile(stateDir), maxFileBytes).pipe(
    Effect.map((text) => (text === undefined ? Option.none() : decode(text))),
    // Whoever may write it could send clients and their token anywhere.
    Effect.catchTag("FileNotPrivate", () => Effect.succeedNone)
  )

/** Stands until the scope closes. */
export const announce = (
  stateDir: string,
  announcement: Announcement
): Effect.Effect<void, never, Scope.Scope> =>
  Effect.acquireRelease(writePrivate(announcementFile(stateDir), `${JSON.stringify(announcement)}\n`), () =>
    Effect.promise(() => rm(announcementFile(stateDir), { force: true }))
  )
