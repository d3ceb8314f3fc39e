/** What is in force: defaults, then the user's file, then the project's as far as it may. Pure. */
import { type Config, type ConfigFile, defaults } from "@vigil/schema/config"

/** Something a project's file says that does not count, and why. */
export interface Ignored {
  readonly file: string
  /** For example `monitor.maxActive`, or `permission.2`. */
  readonly key: string
  readonly reason: string
}

export interface Layer {
  readonly file: string
  readonly content: ConfigFile
}

/** Whose word each value is: a key, and the file that set it. What is not there is a default. */
export type Origins = Readonly<Record<string, string>>

export interface Effective {
  readonly config: Config
  readonly origins: Origins
  readonly ignored: ReadonlyArray<Ignored>
}

const forTheUser = "is how its user works, so only the user's file sets it"
const forTheServer = "holds for the whole server, so only the user's file sets it"

/** Of a terminal and who sits at it, whatever project that one is in. */
const ofItsUser = ["theme", "keys"] as const

type Section = "monitor" | "shell" | "events" | "retry" | "feed" | "plugin"
const sections: ReadonlyArray<Section> = ["monitor", "shell", "events", "retry", "feed", "plugin"]

/** Here the greater number is the stricter: more time in which the same count is allowed, or a longer rest. */
const stricterWhenGreater = new Set(["monitor.rateWindowMs", "monitor.batchMs", "events.pauseMs"])
/** These hold for all sessions of a server, so one project has no say. */
const serverWide = new Set([
  "plugins",
  "monitor.wakeOnRestart",
  "monitor.maxActiveTotal",
  "feed.keepEvents",
  "plugin.setupMs",
  "plugin.hookMs",
  "plugin.callMs"
])

export const merge = (
  user: Layer | undefined,
  project?: Layer & { readonly trusted: boolean }
): Effective => {
  const origins: Record<string, string> = {}
  const ignored: Array<Ignored> = []
  const withUser = user ? overlay(defaults, user, origins) : defaults
  if (!project) return { config: consistent(withUser), origins, ignored }
  const allowed = (project.trusted ? ofOneProject : tightening)(withUser, project, ignored)
  return { config: consistent(overlay(withUser, allowed, origins)), origins, ignored }
}

const overlay = (base: Config, { file, content }: Layer, origins: Record<string, string>): Config => {
  const set = (key: string) => (origins[key] = file)
  const merged: Record<string, unknown> = { ...base }
  if (content.model !== undefined) {
    merged["model"] = content.model
    set("model")
  }
  if (content.providers) {
    merged["providers"] = { ...base.providers, ...content.providers }
    for (const name of Object.keys(content.providers)) set(`providers.${name}`)
  }
  if (content.theme !== undefined) {
    merged["theme"] = content.theme
    set("theme")
  }
  if (content.keys) {
    merged["keys"] = { ...base.keys, ...content.keys }
    for (const name of Object.keys(content.keys)) set(`keys.${name}`)
  }
  if (content.permission) {
    content.permission.forEach((_, index) => set(`permission.${base.permission.length + index}`))
    merged["permission"] = [...base.permission, ...content.permission]
  }
  if (content.plugins) {
    content.plugins.forEach((_, index) => set(`plugins.${base.plugins.length + index}`))
    merged["plugins"] = [...base.plugins, ...content.plugins]
  }
  for (const section of sections) {
    for (const key of Object.keys(content[section] ?? {})) set(`${section}.${key}`)
    merged[section] = { ...base[section], ...content[section] }
  }
  return merged as unknown as Config
}

/** All of a trusted project's file but what is no project's to say. */
const ofOneProject = (_: Config, { file, content }: Layer, ignored: Array<Ignored>): Layer => {
  const { plugins, ...kept }: Record<string, unknown> = content
  if (plugins !== undefined) ignored.push({ file, key: "plugins", reason: forTheServer })
  for (const key of ofItsUser) {
    if (content[key] === undefined) continue
    delete kept[key]
    ignored.push({ file, key, reason: forTheUser })
  }
  for (const section of sections) {
    const entries = Object.entries(content[section] ?? {})
    const own = entries.filter(([name]) => !serverWide.has(`${section}.${name}`))
    if (own.length === entries.length) continue
    kept[section] = Object.fromEntries(own)
    for (const [name] of entries)
      if (serverWide.has(`${section}.${name}`))
        ignored.push({ file, key: `${section}.${name}`, reason: forTheServer })
  }
  return { file, content: kept }
}

/** What of a project's file makes the rules stricter or the limits lower; the rest waits for trust. */
const tightening = (base: Config, { file, content }: Layer, ignored: Array<Ignored>): Layer => {
  const skip = (key: string, reason: string) => void ignored.push({ file, key, reason })
  const kept: Record<string, unknown> = {}
  for (const [key, value] of Object.entries(content)) {
    if (value === undefined || key === "$schema") continue
    if (key === "permission") {
      kept[key] = (content.permission ?? []).flatMap((rule, index) => {
        if (rule.effect !== "allow") return [{ ...rule, tightens: true }]
        skip(`permission.${index}`, "allow rules of a project count only in a trusted directory")
        return []
      })
    } else if ((sections as ReadonlyArray<string>).includes(key)) {
      kept[key] = limits(base, key as Section, value as Record<string, unknown>, skip)
    } else if ((ofItsUser as ReadonlyArray<string>).includes(key)) skip(key, forTheUser)
    else skip(key, serverWide.has(key) ? forTheServer : "counts only in a trusted directory")
  }
  return { file, content: kept }
}

const limits = (
  base: Config,
  section: Section,
  values: Record<string, unknown>,
  skip: (key: string, reason: string) => void
) => {
  const kept: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(values)) {
    const key = `${section}.${name}`
    const current = (base[section] as unknown as Record<string, unknown>)[name]
    if (serverWide.has(key)) skip(key, forTheServer)
    else if (typeof value === "number" && typeof current === "number") {
      const greater = stricterWhenGreater.has(key)
      if (greater ? value >= current : value <= current) kept[name] = value
      else {
        const direction = greater ? "lower" : "raise"
        skip(key, `a project can't ${direction} it (${current} to ${value}) unless the directory is trusted`)
      }
    } else skip(key, "counts only in a trusted directory")
  }
  return kept
}

/** What is used unasked is never more than what may be asked for. */
const consistent = (config: Config): Config => ({
  ...config,
  monitor: { ...config.monitor, timeoutMs: Math.min(config.monitor.timeoutMs, config.monitor.maxTimeoutMs) },
  shell: { ...config.shell, timeoutMs: Math.min(config.shell.timeoutMs, config.shell.maxTimeoutMs) }
})
