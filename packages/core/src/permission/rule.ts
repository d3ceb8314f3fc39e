/** What the rules say about a subject. Pure. */
import type { Action, Rule, RuleEffect, SavedAllow, Subject } from "@vigil/schema/permission"

/** What holds before anybody has set anything. */
export const defaultRules: ReadonlyArray<Rule> = [
  { action: "*", pattern: "*", effect: "ask" },
  { action: "read", pattern: "*", effect: "allow" },
  // The keys that `vigil auth` keeps, wherever the state directory is.
  { action: "read", pattern: "*vigil-auth.json", effect: "ask" }
]

/** `rule` is the one that decided. */
export interface Decision {
  readonly effect: RuleEffect
  readonly rule: Rule | undefined
}

/** The last rule that matches decides; one that only tightens counts where it is stricter than what came before. */
export const evaluate = (rules: Iterable<Rule>, subject: Subject): Decision => {
  let decision: Decision = { effect: "ask", rule: undefined }
  for (const rule of rules) {
    if (!applies(rule, subject)) continue
    if (rule.tightens && strictness[rule.effect] <= strictness[decision.effect]) continue
    decision = { effect: rule.effect, rule }
  }
  return decision
}

/** Whether what was saved answers for a subject that would be asked for. */
export const isSaved = (saved: Iterable<SavedAllow>, subject: Subject): boolean => {
  for (const { action, pattern } of saved) {
    if (applies({ action, pattern, effect: "allow" }, subject)) return true
  }
  return false
}

const strictness: Record<RuleEffect, number> = { allow: 0, ask: 1, deny: 2 }

const applies = (rule: Rule, subject: Subject) =>
  (rule.action === "*" || rule.action === subject.action) &&
  matches(rule.pattern, subject.value) &&
  (rule.effect !== "allow" ||
    !subject.exact ||
    rule.pattern === "*" ||
    rule.pattern === literal(subject.value))

/**
 * Whether `pattern` covers all of `text`. `*` stands for any characters, also spaces and newlines, `\*` for a
 * star, `\\` for a backslash. A final ` *` or `/*` may be absent, so `git status *` covers `git status`.
 *
 * The pieces between stars are searched once each, from left to right.
 */
export const matches = (pattern: string, text: string): boolean => {
  const pieces = split(pattern)
  const first = pieces[0]!
  if (pieces.length === 1) return first === text
  const last = pieces.at(-1)!
  if (pieces.length === 2 && last === "" && /.[ /]$/su.test(first) && text === first.slice(0, -1)) return true
  if (text.length < first.length + last.length || !text.startsWith(first) || !text.endsWith(last))
    return false
  const end = text.length - last.length
  let from = first.length
  for (const piece of pieces.slice(1, -1)) {
    const at = text.indexOf(piece, from)
    if (at === -1 || at + piece.length > end) return false
    from = at + piece.length
  }
  return true
}

/** The pattern that matches `text` and nothing else. */
export const literal = (text: string): string => text.replace(/\\(?=[\\*])|\*/gu, "\\$&")

/** The literal texts between the stars of a pattern. */
const split = (pattern: string): Array<string> => {
  const pieces: Array<string> = []
  let piece = ""
  for (let index = 0; index < pattern.length; index++) {
    const char = pattern[index]!
    const next = pattern[index + 1]
    if (char === "\\" && (next === "\\" || next === "*")) {
      piece += next
      index++
    } else if (char === "*") {
      pieces.push(piece)
      piece = ""
    } else piece += char
  }
  return [...pieces, piece]
}

/** What is asked for when something outside the session's directory is touched. `path` is absolute. */
export const directorySubject = (path: string): Subject => ({
  action: "directory",
  value: path,
  pattern: path.endsWith("/") ? `${literal(path)}*` : `${literal(path)}/*`
})

const actions: ReadonlyArray<Action> = ["shell", "edit", "read", "directory"]

/** A rule from the command line: `git push *`, or `edit:src/*` where another action than shell is meant. */
export const parseAllow = (text: string): Rule => {
  const action = actions.find((action) => text.startsWith(`${action}:`))
  return action === undefined
    ? { action: "shell", pattern: text, effect: "allow" }
    : { action, pattern: text.slice(action.length + 1), effect: "allow" }
}

/** The words that would allow a subject, quoted for a shell: `--allow 'git push *'`. */
export const allowFlag = (subject: Subject): string => {
  const plain = subject.action === "shell" && parseAllow(subject.pattern).pattern === subject.pattern
  const text = plain ? subject.pattern : `${subject.action}:${subject.pattern}`
  return `--allow '${text.replaceAll("'", `'\\''`)}'`
}
