/** Imports go one way: between packages, and within core from the ground up. */
import { posix } from "node:path"
import type { SourceFile } from "./source.ts"

/** What each package may import besides itself, everything below it included. */
const packages: Readonly<Record<string, ReadonlyArray<string>>> = {
  schema: [],
  plugin: ["schema"],
  protocol: ["schema"],
  core: ["schema", "plugin"],
  server: ["schema", "plugin", "core", "protocol"],
  sdk: [],
  tui: ["sdk"],
  simulation: [],
  cli: ["schema", "plugin", "protocol", "core", "server", "sdk", "tui", "simulation"],
  // Measures any of them, and none imports it.
  bench: ["schema", "core", "server", "sdk", "simulation", "cli"]
}

/** Tests of any package may talk to the scripted model. */
const inTests = ["simulation"]

/** Who else is there in a package's tests: the other end of the wire. */
const alsoInTests: Readonly<Record<string, ReadonlyArray<string>>> = {
  sdk: ["server", "core", "schema"]
}

/**
 * core/src from the ground up. What is lower never imports what is higher.
 * A noun's file and its folder (`shell.ts`, `shell/`) are one level.
 */
const core = [
  "state",
  "auth",
  "database",
  "kv",
  "record",
  "row",
  "trust",
  "config",
  "bus",
  "job",
  "permission",
  "shell",
  "session",
  "turn",
  "inbox",
  "retention",
  "coordinator",
  "tool",
  "hook",
  "provider",
  "environment",
  "monitor",
  "background",
  "status",
  "prompt",
  "window",
  "runner",
  "tools",
  "plugin",
  "reconcile",
  "live"
]

/** Pairs that the order alone would allow. */
const kept = [
  { from: "monitor", to: "runner", reason: "monitors know inbox and coordinator, not the runner" }
]

const statement = /^\s*(?:import|export)\s(?:[^"'`;]*?\sfrom\s*)?["']([^"'\n]+)["']/gm
const expression = /\bimport\(\s*["']([^"'\n]+)["']\s*\)/g

/** The specifiers a file imports, types included. */
export const specifiers = (text: string): ReadonlyArray<string> =>
  [...text.matchAll(statement), ...text.matchAll(expression)].flatMap((found) => found[1] ?? [])

const packageOf = (path: string) => /^(?:packages\/([^/]+)|(bench))\//.exec(path)?.slice(1).find(Boolean)

const levelOf = (path: string) => /^packages\/core\/src\/([^/.]+)/.exec(path)?.[1]

const betweenPackages = (path: string, owner: string, specifier: string): string | undefined => {
  const [, name, subpath] = /^@vigil\/([^/]+)(\/.+)?$/.exec(specifier) ?? []
  if (name === undefined) return undefined
  if (name === owner) return `${path}: imports its own package by name (${specifier}); use a relative path`
  if (subpath === undefined) return `${path}: imports ${specifier}; name a subpath`
  const allowed = [
    ...(packages[owner] ?? []),
    ...(path.includes("/src/") ? [] : [...inTests, ...(alsoInTests[owner] ?? [])])
  ]
  if (allowed.includes(name)) return undefined
  return `${path}: ${owner} may not import ${name}`
}

const betweenLevels = (path: string, target: string): string | undefined => {
  const [from, to] = [levelOf(path), levelOf(target)]
  if (from === undefined || to === undefined || from === to) return undefined
  const pair = kept.find((pair) => pair.from === from && pair.to === to)
  if (pair) return `${path}: imports ${target}, but ${pair.reason}`
  // A file without a place is told once, not once for each of its imports.
  if (!core.includes(from) || !core.includes(to) || core.indexOf(from) > core.indexOf(to)) return undefined
  return `${path}: imports ${target}, and ${to} is above ${from}`
}

/** The circles of a graph, each told once, from its first file in the alphabet. */
const circles = (graph: ReadonlyMap<string, ReadonlyArray<string>>): ReadonlyArray<string> => {
  const found = new Set<string>()
  const done = new Set<string>()
  const visit = (path: string, trail: ReadonlyArray<string>): void => {
    const start = trail.indexOf(path)
    if (start !== -1) {
      const circle = trail.slice(start)
      const first = circle.indexOf(circle.toSorted()[0] ?? path)
      const turned = [...circle.slice(first), ...circle.slice(0, first)]
      found.add([...turned, turned[0]].join(" → "))
      return
    }
    if (done.has(path)) return
    for (const next of graph.get(path) ?? []) visit(next, [...trail, path])
    done.add(path)
  }
  for (const path of graph.keys()) visit(path, [])
  return [...found].map((circle) => `circle: ${circle}`)
}

/** What is wrong with the imports of these files, a line each. */
export const importProblems = (files: ReadonlyArray<SourceFile>): ReadonlyArray<string> => {
  const problems: Array<string> = []
  const graph = new Map<string, ReadonlyArray<string>>()
  const paths = new Set(files.map(({ path }) => path))

  for (const { path, text } of files) {
    const owner = packageOf(path)
    if (owner !== undefined && !(owner in packages)) {
      problems.push(`${path}: scripts/imports.ts does not say what ${owner} may import`)
    }
    const level = levelOf(path)
    if (level !== undefined && !core.includes(level)) {
      problems.push(`${path}: scripts/imports.ts does not say where ${level} stands in core`)
    }

    const targets: Array<string> = []
    for (const specifier of specifiers(text)) {
      if (!specifier.startsWith(".")) {
        if (owner !== undefined) problems.push(betweenPackages(path, owner, specifier) ?? "")
        continue
      }
      const target = posix.join(posix.dirname(path), specifier)
      if (!posix.extname(target)) problems.push(`${path}: imports ${specifier} without its ending`)
      if (packageOf(target) !== owner && !target.startsWith("scripts/")) {
        problems.push(`${path}: reaches into another package by ${specifier}; use @vigil/…`)
      }
      problems.push(betweenLevels(path, target) ?? "")
      if (paths.has(target)) targets.push(target)
    }
    graph.set(path, targets)
  }
  return [...problems.filter((problem) => problem !== ""), ...circles(graph)]
}
