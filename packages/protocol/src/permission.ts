/** Asks that wait for a person, what was answered for good, and trusted projects. */
import { AbsolutePath } from "@vigil/schema/path"
import {
  Action,
  Answer,
  Ask,
  AskAnswered,
  AskId,
  AskNotFound,
  Reply,
  SavedAllow
} from "@vigil/schema/permission"
import { SessionId } from "@vigil/schema/session"
import { TrustedDirectory } from "@vigil/schema/trust"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { described } from "./describe.ts"
import { pageOf, reading } from "./page.ts"

const SavedPage = pageOf("SavedAllowPage", SavedAllow)
const directory = AbsolutePath.annotate({ description: "The directory whose answers are meant" })

export const PermissionGroup = HttpApiGroup.make("permission").add(
  HttpApiEndpoint.get("list", "/permission", {
    query: {
      session: Schema.optionalKey(SessionId).annotate({ description: "Only this session's" })
    },
    success: reading(pageOf("AskPage", Ask))
  }).pipe(described("Lists the asks that wait for an answer, oldest first")),
  HttpApiEndpoint.post("reply", "/permission/:askID/reply", {
    params: { askID: AskId },
    payload: Reply,
    success: Schema.Struct({ askID: AskId, answer: Answer }).annotate({ identifier: "Answered" }),
    error: [AskNotFound, AskAnswered]
  }).pipe(described("Answers an ask; the same answer again changes nothing")),
  HttpApiEndpoint.get("saved", "/permission/saved", {
    query: { directory },
    success: reading(SavedPage)
  }).pipe(described('Lists what was answered with "always" in a directory')),
  HttpApiEndpoint.delete("forget", "/permission/saved", {
    query: {
      directory,
      action: Schema.optionalKey(Action).annotate({ description: "With `pattern`: one answer alone" }),
      pattern: Schema.optionalKey(Schema.String).annotate({
        description: "As the list has it; without it all of the directory's are taken back"
      })
    },
    success: SavedPage
  }).pipe(described("Takes such answers back, and returns what is left"))
)

export const TrustGroup = HttpApiGroup.make("trust").add(
  HttpApiEndpoint.get("list", "/trust", {
    success: reading(pageOf("TrustedDirectoryPage", TrustedDirectory))
  }).pipe(described("Lists the directories whose vigil.json the user trusts, newest first")),
  HttpApiEndpoint.post("add", "/trust", {
    payload: Schema.Struct({
      directory: AbsolutePath,
      /** The file as the user saw it: with another text it is not trusted. */
      text: Schema.String.check(Schema.isMaxLength(1_048_576, { expected: "at most 1048576 characters" }))
    }).annotate({ identifier: "NewTrust" }),
    success: TrustedDirectory
  }).pipe(described("Trusts a directory's vigil.json with exactly this text")),
  HttpApiEndpoint.delete("revoke", "/trust", {
    query: { directory: AbsolutePath.annotate({ description: "The directory" }) },
    success: Schema.Struct({ revoked: Schema.Boolean }).annotate({ identifier: "Revoked" })
  }).pipe(described("Takes trust back; false where there was none"))
)
