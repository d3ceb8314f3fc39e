import { expect, test } from "bun:test"
import type { Rule, Subject } from "@vigil/schema/permission"
import fc from "fast-check"
import {
  allowFlag,
  defaultRules,
  directorySubject,
  evaluate,
  isSaved,
  literal,
  matches,
  parseAllow
} from "../../src/permission/rule.ts"

const shell = (value: string, pattern = literal(value)): Subject => ({ action: "shell", value, pattern })
const rule = (effect: Rule["effect"], pattern: string, action: Rule["action"] = "shell"): Rule => ({
  action,
  pattern,
  effect
})
const effectOf = (rules: ReadonlyArray<Rule>, subject: Subject) => evaluate(rules, subject).effect

test("a star stands for any characters, also spaces and newlines", () => {
  expect(matches("git *", "git log\n--oneline")).toBe(true)
  expect(matches("*", "")).toBe(true)
  expect(matches("*.ts", "src/a b.ts")).toBe(true)
  expect(matches("a*b*c", "a--b--c")).toBe(true)
  expect(matches("a*b*c", "a--c--b")).toBe(false)
  expect(matches("ab*ba", "aba")).toBe(false)
})

test("nothing but a star is special", () => {
  expect(matches("a.c", "abc")).toBe(false)
  expect(matches("a?[b]+(c)", "a?[b]+(c)")).toBe(true)
  expect(matches("ls", "ls -l")).toBe(false)
})

test("a final ` *` or `/*` may be absent, the word before it may not go on", () => {
  expect(matches("git status *", "git status")).toBe(true)
  expect(matches("git status *", "git statusx")).toBe(false)
  expect(matches("/etc/*", "/etc")).toBe(true)
  expect(matches("/etc/*", "/etcetera")).toBe(false)
  expect(matches("/*", "/")).toBe(true)
})

test("an exact pattern matches its own text and no other", () => {
  const text = fc.string({ unit: fc.constantFrom("*", "\\", "a", " ", "/", "\n") })
  fc.assert(fc.property(text, text, (a, b) => matches(literal(a), b) === (a === b)))
  fc.assert(fc.property(text, (a) => matches(literal(a), a)))
})

test("many stars on a long text cost no time that grows with both", () => {
  expect(matches(`${"*a".repeat(4_000)}b`, "a".repeat(8_000))).toBe(false)
})

test("by default shell, edit and other directories are asked for, reading is allowed", () => {
  const effects = (["shell", "edit", "read", "directory"] as const).map((action) =>
    effectOf(defaultRules, { action, value: "x", pattern: "x" })
  )
  expect(effects).toEqual(["ask", "ask", "allow", "ask"])
})

test("the keys of vigil auth are asked for wherever they lie, and no other file of that name", () => {
  const read = (value: string) => effectOf(defaultRules, { action: "read", value, pattern: value })
  expect(read(".local/state/vigil/vigil-auth.json")).toBe("ask")
  expect(read("st/vigil-auth.json")).toBe("ask")
  expect(read("locales/auth.json")).toBe("allow")
})

test("the last rule that matches decides", () => {
  const rules = [rule("allow", "git *"), rule("deny", "git push *"), rule("ask", "git push --dry-run *")]
  expect(effectOf(rules, shell("git log"))).toBe("allow")
  expect(effectOf(rules, shell("git push"))).toBe("deny")
  expect(effectOf(rules, shell("git push --dry-run"))).toBe("ask")
  expect(evaluate(rules, shell("git push")).rule?.pattern).toBe("git push *")
})

test("a rule that tightens never loosens", () => {
  const ask = { ...rule("ask", "*"), tightens: true }
  const deny = { ...rule("deny", "rm *"), tightens: true }
  expect(effectOf([rule("deny", "rm *"), ask], shell("rm x"))).toBe("deny")
  expect(effectOf([rule("allow", "*"), ask], shell("ls"))).toBe("ask")
  expect(effectOf([rule("allow", "*"), deny, ask], shell("rm x"))).toBe("deny")
})

test("what could not be taken apart is allowed by its own text or by everything, not by a pattern", () => {
  const subject: Subject = { ...shell("git status; ("), exact: true }
  expect(effectOf([rule("allow", "git *")], subject)).toBe("ask")
  expect(effectOf([rule("allow", "*")], subject)).toBe("allow")
  expect(effectOf([rule("allow", "*"), rule("deny", "git *")], subject)).toBe("deny")
  expect(isSaved([{ action: "shell", pattern: subject.pattern }], subject)).toBe(true)
  expect(isSaved([{ action: "shell", pattern: "git *" }], subject)).toBe(false)
})

test("a flag allows exactly the subject that it was made for", () => {
  const subjects: ReadonlyArray<Subject> = [
    shell("git push", "git push *"),
    shell("edit:x"),
    shell("echo '*'"),
    directorySubject("/etc"),
    { action: "edit", value: "src/a.ts", pattern: "src/*" }
  ]
  expect(allowFlag(subjects[0]!)).toBe("--allow 'git push *'")
  for (const subject of subjects) {
    const quoted = allowFlag(subject).slice("--allow ".length)
    const text = quoted.slice(1, -1).replaceAll(`'\\''`, "'")
    expect(parseAllow(text)).toEqual({ action: subject.action, pattern: subject.pattern, effect: "allow" })
    expect(effectOf([parseAllow(text)], subject)).toBe("allow")
  }
})
