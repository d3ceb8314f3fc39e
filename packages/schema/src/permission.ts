/** What an agent may do, and the questions that wait for a person. */
import { Schema } from "effect"
import { idSchema } from "./id.ts"
import { sentence } from "./sentence.ts"

export const AskId = idSchema("ask").pipe(Schema.brand("AskId"), Schema.annotate({ identifier: "AskId" }))
export type AskId = typeof AskId.Type

/** `directory` is work outside the session's directory; it is asked for besides the action itself. */
export const Action = Schema.Literals(["shell", "edit", "read", "directory"]).annotate({
  identifier: "Action"
})
export type Action = typeof Action.Type

export const RuleEffect = Schema.Literals(["allow", "ask", "deny"]).annotate({
  identifier: "RuleEffect",
  message: "Expected allow, ask or deny"
})
export type RuleEffect = typeof RuleEffect.Type

/**
 * In a pattern `*` stands for any characters, `\\*` for a star itself, and a final ` *` or `/*` may also be
 * absent. The last rule that matches decides.
 */
export const Rule = Schema.Struct({
  action: Schema.Literals([...Action.literals, "*"]),
  pattern: Schema.String,
  effect: RuleEffect,
  /** It may only make stricter what the rules before it say; every rule of a project that is not trusted is one. */
  tightens: Schema.optionalKey(Schema.Boolean)
}).annotate({ identifier: "Rule", message: "Expected a rule: { action, pattern, effect }" })
export interface Rule extends Schema.Schema.Type<typeof Rule> {}

/** One thing that is asked for: a part of a command, a file, a directory. */
export const Subject = Schema.Struct({
  action: Action,
  /** What is held against patterns. */
  value: Schema.String,
  /** What "always" would save. */
  pattern: Schema.String,
  /** It could not be taken apart: no wildcard but `*` alone allows it, only its own text. */
  exact: Schema.optionalKey(Schema.Boolean)
}).annotate({ identifier: "Subject" })
export interface Subject extends Schema.Schema.Type<typeof Subject> {}

export const Ask = Schema.Struct({
  id: AskId,
  sessionID: Schema.String,
  tool: Schema.String,
  callID: Schema.optionalKey(Schema.String),
  /** What is to be done, whole: the command, or the file. */
  title: Schema.String,
  /** Only those that need an answer. */
  subjects: Schema.Array(Subject),
  createdAt: Schema.Int
}).annotate({ identifier: "Ask" })
export interface Ask extends Schema.Schema.Type<typeof Ask> {}

/** `withdrawn` is no one's answer: the asker was interrupted, deleted, or its server ended. */
export const Answer = Schema.Literals(["once", "always", "reject", "withdrawn"]).annotate({
  identifier: "Answer"
})
export type Answer = typeof Answer.Type

export const Reply = Schema.Struct({
  reply: Schema.Literals(["once", "always", "reject"]),
  /** For a rejection: the model reads it. Without one the turn ends. */
  reason: Schema.optionalKey(Schema.String)
}).annotate({ identifier: "Reply" })
export interface Reply extends Schema.Schema.Type<typeof Reply> {}

/** It may not be done. `message` is for the model, or the person: what was denied, by what, and how to go on. */
export class PermissionDenied extends Schema.TaggedError<PermissionDenied>()(
  "PermissionDenied",
  { message: Schema.String, subjects: Schema.Array(Subject) },
  { httpApiStatus: 403 }
) {}

/** What was answered with "always", in one directory. */
export const SavedAllow = Schema.Struct({ action: Action, pattern: Schema.String }).annotate({
  identifier: "SavedAllow"
})
export interface SavedAllow extends Schema.Schema.Type<typeof SavedAllow> {}

export class AskNotFound extends Schema.TaggedError<AskNotFound>()(
  "AskNotFound",
  { askID: Schema.String, message: sentence("No such ask waits; it may have been answered or withdrawn") },
  { httpApiStatus: 404 }
) {}

/** Somebody was faster, with another answer. */
export class AskAnswered extends Schema.TaggedError<AskAnswered>()(
  "AskAnswered",
  { askID: Schema.String, answer: Answer, message: sentence("This ask has been answered already") },
  { httpApiStatus: 409 }
) {}
