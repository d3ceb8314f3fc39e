/** What an agent may do, and the questions that wait for a person. */
import { Schema } from "effect"
import { about } from "./about.ts"
import { idSchema } from "./id.ts"
import { sentence } from "./sentence.ts"

export const AskId = idSchema("ask").pipe(Schema.brand("AskId"), Schema.annotate({ identifier: "AskId" }))
export type AskId = typeof AskId.Type

export const Action = Schema.Literals(["shell", "edit", "read", "directory"]).annotate({
  identifier: "Action",
  description:
    "`directory` is work outside the session's directory; it is asked for besides the action itself."
})
export type Action = typeof Action.Type

export const RuleEffect = Schema.Literals(["allow", "ask", "deny"]).annotate({
  identifier: "RuleEffect",
  message: "Expected allow, ask or deny"
})
export type RuleEffect = typeof RuleEffect.Type

export const Rule = Schema.Struct({
  action: about("What it is about; `*` is any of them", Schema.Literals([...Action.literals, "*"])),
  pattern: about(
    "`*` stands for any characters, `\\*` for a star itself; a final ` *` or `/*` may also be absent",
    Schema.String
  ),
  effect: about("What happens where it matches", RuleEffect),
  tightens: about(
    "It may only make stricter what the rules before it say; every rule of a project that is not trusted is one",
    Schema.optionalKey(Schema.Boolean)
  )
}).annotate({
  identifier: "Rule",
  description: "What happens to what a pattern fits. The last rule that matches decides.",
  message: "Expected a rule: { action, pattern, effect }"
})
export interface Rule extends Schema.Schema.Type<typeof Rule> {}

export const Subject = Schema.Struct({
  action: about("What would be done", Action),
  value: about("What is held against patterns", Schema.String),
  pattern: about('What "always" would save', Schema.String),
  exact: about(
    "It could not be taken apart: no wildcard but `*` alone allows it, only its own text",
    Schema.optionalKey(Schema.Boolean)
  )
}).annotate({
  identifier: "Subject",
  description: "One thing that is asked for: a part of a command, a file, a directory."
})
export interface Subject extends Schema.Schema.Type<typeof Subject> {}

export const Ask = Schema.Struct({
  id: AskId,
  sessionID: about("Whose agent asks", Schema.String),
  tool: about("The tool that asks", Schema.String),
  callID: about("The provider's id of the call", Schema.optionalKey(Schema.String)),
  title: about("What is to be done, whole: the command, or the file", Schema.String),
  subjects: about("Only those that need an answer", Schema.Array(Subject)),
  createdAt: about("When it was asked", Schema.Int)
}).annotate({ identifier: "Ask", description: "A question that waits for a person: may this be done?" })
export interface Ask extends Schema.Schema.Type<typeof Ask> {}

export const Answer = Schema.Literals(["once", "always", "reject", "withdrawn"]).annotate({
  identifier: "Answer",
  description: "`withdrawn` is no one's answer: the asker was interrupted, deleted, or its server ended."
})
export type Answer = typeof Answer.Type

export const Reply = Schema.Struct({
  reply: about(
    "`once`: this time. `always`: also whatever the pattern of each subject fits, in this directory. `reject`: not at all",
    Schema.Literals(["once", "always", "reject"])
  ),
  reason: about(
    "For a rejection: the model reads it. Without one the turn ends",
    Schema.optionalKey(Schema.String)
  )
}).annotate({ identifier: "Reply", description: "What a person says to an ask." })
export interface Reply extends Schema.Schema.Type<typeof Reply> {}

export class PermissionDenied extends Schema.TaggedError<PermissionDenied>()(
  "PermissionDenied",
  { message: Schema.String, subjects: about("What is denied", Schema.Array(Subject)) },
  {
    httpApiStatus: 403,
    description: "Rules deny it, and nobody is asked. The message says which, and how to go on."
  }
) {}

export const SavedAllow = Schema.Struct({
  action: about("What may be done", Action),
  pattern: about("To what: `*` stands for any characters", Schema.String)
}).annotate({
  identifier: "SavedAllow",
  description: "What was answered with `always`, in one directory."
})
export interface SavedAllow extends Schema.Schema.Type<typeof SavedAllow> {}

export class AskNotFound extends Schema.TaggedError<AskNotFound>()(
  "AskNotFound",
  {
    askID: about("The id that was asked for", Schema.String),
    message: sentence("No such ask waits; it may have been answered or withdrawn")
  },
  {
    httpApiStatus: 404,
    description: "No such ask waits: it was answered or withdrawn some time ago. Nothing is left to do."
  }
) {}

export class AskAnswered extends Schema.TaggedError<AskAnswered>()(
  "AskAnswered",
  {
    askID: about("The ask", Schema.String),
    answer: about("What holds", Answer),
    message: sentence("This ask has been answered already")
  },
  { httpApiStatus: 409, description: "Somebody was faster, with another answer, which holds." }
) {}
