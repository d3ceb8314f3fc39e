/** Settings as rows: what holds, and whose word it is. Pure. */
import { maskedProvider, withoutSecrets } from "@vigil/core/config/masked"
import type { Effective, Ignored } from "@vigil/core/config/merge"
import type { Config, ConfigFile } from "@vigil/schema/config"
import type { Rule } from "@vigil/schema/permission"
import { shownValue, visible } from "./visible.ts"

export interface SettingRow {
  /** For example `monitor.maxActive`, or `permission.2`. */
  readonly key: string
  readonly value: string
  /** A file, or `default`. */
  readonly origin: string
}

export const settingRows = ({ config, origins }: Effective): ReadonlyArray<SettingRow> =>
  flat(config).map(([key, value]) => ({
    key: visible(key),
    value,
    origin: visible(origins[key] ?? "default")
  }))

/** What trust would let count, a line each: what gets keys comes first. */
export const loosenedLines = (content: ConfigFile, loosens: ReadonlyArray<Ignored>): ReadonlyArray<string> =>
  loosens
    .flatMap(({ key }) => described(content, key))
    .toSorted((a, b) => a.order - b.order)
    .map(({ text }) => text)

interface Described {
  readonly order: number
  readonly text: string
}

const described = (content: ConfigFile, key: string): ReadonlyArray<Described> => {
  const value = at(content, key)
  if (key === "providers") {
    return Object.entries(content.providers ?? {}).map(([name, provider]) =>
      line(
        1,
        `provider ${visible(name)}: ${shownValue(maskedProvider(provider))} (gets requests, and the key)`
      )
    )
  }
  if (key.startsWith("permission.")) return [line(2, ruleText(value as Rule))]
  return [line(key === "shell.passEnv" ? 1 : 3, `${visible(key)}: ${shownValue(value)}`)]
}

const line = (order: number, text: string): Described => ({ order, text })

const at = (content: unknown, key: string): unknown =>
  key
    .split(".")
    .reduce<unknown>((value, part) => (value as Record<string, unknown> | undefined)?.[part], content)

const ruleText = ({ effect, action, pattern }: Rule) => `${effect} ${action} '${visible(pattern)}'`

const flat = (config: Config): ReadonlyArray<readonly [key: string, value: string]> =>
  Object.entries(withoutSecrets(config)).flatMap(([key, value]: [string, unknown]) => {
    if (key === "permission") {
      return config.permission.map((rule, index) => [`permission.${index}`, ruleText(rule)] as const)
    }
    if (typeof value !== "object" || value === null || Array.isArray(value)) {
      return value === undefined ? [] : [[key, shownValue(value)] as const]
    }
    return Object.entries(value).map(([name, inner]) => [`${key}.${name}`, shownValue(inner)] as const)
  })
