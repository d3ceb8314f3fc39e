/** Asks that wait for a person, what was answered for good, and trusted projects. */
import { about } from "@vigil/schema/about"
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
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { described } from "./describe.ts"
import { pageOf, reading } from "./page.ts"

const Answered = Schema.Struct({
  askID: about("The ask", AskId),
  answer: about("What holds for it", Answer)
}).annotate({ identifier: "Answered", description: "The ask, and the answer that holds." })

const Revoked = Schema.Struct({
  revoked: about("False where the directory was not trusted", Schema.Boolean)
}).annotate({ identifier: "Revoked", description: "Whether there was trust to take back." })

const SavedPage = pageOf("SavedAllowPage", "What may be done in the directory without asking.", SavedAllow)
const directory = about("The directory whose answers are meant", AbsolutePath)

export const PermissionGroup = HttpApiGroup.make("permission")
  .annotate(OpenApi.Description, "Questions that wait for a person, and what was answered for good.")
  .add(
    HttpApiEndpoint.get("list", "/permission", {
      query: {
        session: about("Only this session's", Schema.optionalKey(SessionId))
      },
      success: reading(pageOf("AskPage", "Asks that wait, oldest first.", Ask))
    }).pipe(described("Lists the asks that wait for an answer, oldest first")),
    HttpApiEndpoint.post("reply", "/permission/:askID/reply", {
      params: { askID: about("The ask", AskId) },
      payload: Reply,
      success: Answered,
      error: [AskNotFound, AskAnswered]
    }).pipe(described("Answers an ask; the same answer again changes nothing")),
    HttpApiEndpoint.get("saved", "/permission/saved", {
      query: { directory },
      success: reading(SavedPage)
    }).pipe(described('Lists what was answered with "always" in a directory')),
    HttpApiEndpoint.delete("forget", "/permission/saved", {
      query: {
        directory,
        action: about("With `pattern`: one answer alone", Schema.optionalKey(Action)),
        pattern: about(
          "As the list has it; without it all of the directory's are taken back",
          Schema.optionalKey(Schema.String)
        )
      },
      success: SavedPage
    }).pipe(described("Takes such answers back, and returns what is left"))
  )

export const TrustGroup = HttpApiGroup.make("trust")
  .annotate(OpenApi.Description, "Projects whose vigil.json the user trusts.")
  .add(
    HttpApiEndpoint.get("list", "/trust", {
      success: reading(pageOf("TrustedDirectoryPage", "Trusted projects, newest first.", TrustedDirectory))
    }).pipe(described("Lists the directories whose vigil.json the user trusts, newest first")),
    HttpApiEndpoint.post("add", "/trust", {
      payload: Schema.Struct({
        directory: about("The project's directory", AbsolutePath),
        text: about(
          "The file as the user saw it: with another text it is not trusted",
          Schema.String.check(Schema.isMaxLength(1_048_576, { expected: "at most 1048576 characters" }))
        )
      }).annotate({
        identifier: "NewTrust",
        description: "Which vigil.json is trusted, and with what text."
      }),
      success: TrustedDirectory
    }).pipe(described("Trusts a directory's vigil.json with exactly this text")),
    HttpApiEndpoint.delete("revoke", "/trust", {
      query: { directory: about("The directory", AbsolutePath) },
      success: Revoked
    }).pipe(described("Takes trust back; false where there was none"))
  )
