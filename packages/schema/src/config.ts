/** `vigil.json`: every setting, its default and its bounds. */
import { Schema, Struct } from "effect"
import { about } from "./about.ts"
import { Rule } from "./permission.ts"

/** A whole number: what it means, its default, and the bounds that an error states. */
interface Limit {
  readonly description: string
  readonly value: number
  readonly min: number
  readonly max: number
}

const limit = (description: string, value: number, min: number, max: number): Limit => ({
  description,
  value,
  min,
  max
})

const fields = <K extends string>(limits: Record<K, Limit>) => {
  const entries = (Object.entries(limits) as Array<[K, Limit]>).map(([key, { description, min, max }]) => [
    key,
    Schema.Int.check(
      Schema.isBetween({ minimum: min, maximum: max }, { expected: `a whole number from ${min} to ${max}` })
    ).annotate({ description })
  ])
  return Object.fromEntries(entries) as Record<K, Schema.Int>
}

const values = <K extends string>(limits: Record<K, Limit>) =>
  Object.fromEntries(
    (Object.entries(limits) as Array<[K, Limit]>).map(([key, { value }]) => [key, value])
  ) as Record<K, number>

const KiB = 1024
const MiB = 1024 * KiB
const GiB = 1024 * MiB
const day = 86_400_000

const monitorLimits = {
  maxActive: limit("Active monitors in one session", 4, 1, 100),
  maxActiveTotal: limit("Active monitors on one server", 400, 1, 10_000),
  timeoutMs: limit("Deadline of a monitor that names none, in ms", 300_000, 1_000, day),
  maxTimeoutMs: limit("Longest deadline that may be asked for, in ms", 1_800_000, 1_000, day),
  batchMs: limit("How long lines are collected into one event, in ms", 200, 0, 5_000),
  rateEvents: limit("Events allowed in one rate window", 30, 1, 10_000),
  rateWindowMs: limit("The rate window, in ms", 30_000, 1_000, 300_000),
  maxBatchBytes: limit("Text of one event, in bytes", 16 * KiB, KiB, 64 * KiB),
  maxStdoutBytes: limit("Raw stdout that a monitor may print, in bytes", 256 * KiB, 16 * KiB, GiB),
  maxLogBytes: limit("Newest output that is kept to be read, in bytes", MiB, 64 * KiB, GiB),
  keepEnded: limit("Ended monitors kept in one session", 25, 0, 1_000),
  killGraceMs: limit("Time between SIGTERM and SIGKILL, in ms", 500, 0, 30_000)
}

/** Limits of monitors. A project may lower them, its user may raise them. */
export const MonitorLimits = Schema.Struct(fields(monitorLimits)).annotate({ identifier: "MonitorLimits" })
export interface MonitorLimits extends Schema.Schema.Type<typeof MonitorLimits> {}

const shellLimits = {
  timeoutMs: limit(
    "How long a foreground command may take before it moves to the background, in ms",
    120_000,
    1_000,
    600_000
  ),
  maxTimeoutMs: limit("Longest foreground time that may be asked for, in ms", 600_000, 1_000, 600_000),
  maxActive: limit("Active background shells in one session", 8, 1, 100),
  maxLogBytes: limit("Newest output that is kept to be read, in bytes", MiB, 64 * KiB, GiB),
  keepEnded: limit("Ended shells kept in one session", 25, 0, 1_000)
}

export const ShellLimits = Schema.Struct(fields(shellLimits)).annotate({ identifier: "ShellLimits" })
export interface ShellLimits extends Schema.Schema.Type<typeof ShellLimits> {}

const eventLimits = {
  perTurn: limit("Times that events are read in one turn", 50, 1, 10_000),
  perHour: limit("Times that events are read in an hour without a prompt", 120, 1, 100_000),
  pauseMs: limit("Rest after a turn that reached its bound, or was interrupted, in ms", 30_000, 0, 3_600_000),
  maxWaiting: limit("Events that wait in one session's inbox", 64, 1, 10_000)
}

/** How often events are read before they wait. */
export const EventLimits = Schema.Struct(fields(eventLimits)).annotate({ identifier: "EventLimits" })
export interface EventLimits extends Schema.Schema.Type<typeof EventLimits> {}

const retryLimits = {
  attempts: limit("Times that a model request is tried again", 8, 0, 100),
  maxDelayMs: limit("Longest time between two tries, in ms", 60_000, 0, 600_000)
}

export const RetryLimits = Schema.Struct(fields(retryLimits)).annotate({ identifier: "RetryLimits" })
export interface RetryLimits extends Schema.Schema.Type<typeof RetryLimits> {}

const feedLimits = {
  keepEvents: limit("Events kept for replay", 100_000, 1_000, 10_000_000)
}

export const FeedLimits = Schema.Struct(fields(feedLimits)).annotate({ identifier: "FeedLimits" })
export interface FeedLimits extends Schema.Schema.Type<typeof FeedLimits> {}

// Nothing is set here by default: it depends on the model.
const providerLimits = fields({
  contextWindow: limit("Tokens that its models take", 128_000, 4_096, 100_000_000),
  maxOutputTokens: limit("Tokens that one answer may have", 16_384, 256, 10_000_000)
})

const pluginLimits = {
  setupMs: limit("How long the setup of one plugin may take, in ms", 10_000, 100, 300_000),
  hookMs: limit(
    "How long a plugin may hold a tool call up, before it and after it, in ms",
    5_000,
    10,
    60_000
  ),
  callMs: limit("How long a plugin's tool may take, in ms", 600_000, 1_000, day)
}

/** How long plugins may take. What takes longer is given up. */
export const PluginLimits = Schema.Struct(fields(pluginLimits)).annotate({ identifier: "PluginLimits" })
export interface PluginLimits extends Schema.Schema.Type<typeof PluginLimits> {}

export const ProviderConfig = Schema.Struct({
  format: about(
    "The wire format; the provider's own where its name is `anthropic`, `openai` or `google`",
    Schema.optionalKey(Schema.Literals(["anthropic", "openai", "google", "openai-compatible"]))
  ),
  baseUrl: Schema.optionalKey(Schema.String),
  apiKey: Schema.optionalKey(Schema.String),
  apiKeyEnv: about("Name of the environment variable that holds the key", Schema.optionalKey(Schema.String)),
  contextWindow: about(
    "Tokens that its models take, prompt and answer together, in place of what is known of them",
    Schema.optionalKey(providerLimits.contextWindow)
  ),
  maxOutputTokens: about(
    "Tokens that one answer may have, in place of the model's own bound",
    Schema.optionalKey(providerLimits.maxOutputTokens)
  )
}).annotate({ identifier: "ProviderConfig", description: "How a provider is asked for its models." })
export interface ProviderConfig extends Schema.Schema.Type<typeof ProviderConfig> {}

/** Limits of monitors, and what else can be set about them. */
const MonitorConfig = Schema.Struct({
  ...MonitorLimits.fields,
  wakeOnRestart: about(
    "Whether the notice of a monitor that a restart ended wakes its session",
    Schema.Boolean
  )
})

const ShellConfig = Schema.Struct({
  ...ShellLimits.fields,
  passEnv: about(
    "Names of environment variables that commands see although providers read them",
    Schema.Array(Schema.String)
  )
})

/** Of which command, and by which keys it is given, such as `ctrl+t`. */
const KeyConfig = Schema.Record(
  Schema.String,
  Schema.Union([Schema.String, Schema.Array(Schema.String).check(Schema.isMaxLength(16))])
).check(Schema.isMaxProperties(256, { expected: "at most 256 commands" }))

export const Theme = Schema.Literals(["auto", "dark", "light"])
export type Theme = typeof Theme.Type

export const Config = Schema.Struct({
  model: about("`provider/model` of sessions that name none", Schema.optionalKey(Schema.String)),
  providers: Schema.Record(Schema.String, ProviderConfig),
  permission: Schema.Array(Rule),
  monitor: MonitorConfig,
  shell: ShellConfig,
  events: EventLimits,
  retry: RetryLimits,
  feed: FeedLimits,
  plugins: about(
    "Paths, relative to the file that names them, and packages",
    Schema.Array(Schema.String.check(Schema.isNonEmpty({ expected: "a path or a package" }))).check(
      Schema.isMaxLength(64, { expected: "at most 64 plugins" })
    )
  ),
  plugin: PluginLimits,
  theme: about("Of the terminal UI; `auto` follows the terminal", Theme),
  keys: about(
    "Commands of the terminal UI, and the keys that give each in place of its own; its help names them",
    KeyConfig
  )
}).annotate({ identifier: "Config", description: "Everything that can be set, with all of it there." })
export interface Config extends Schema.Schema.Type<typeof Config> {}

const optional = Struct.map(Schema.optionalKey)

/** One `vigil.json`: any part of the configuration. What is not named here is an error in a file. */
export const ConfigFile = Schema.Struct({
  /** For editors; it means nothing to Vigil. */
  $schema: Schema.optionalKey(Schema.String),
  model: Schema.optionalKey(Schema.String),
  providers: Schema.optionalKey(Config.fields.providers),
  permission: Schema.optionalKey(Config.fields.permission),
  monitor: Schema.optionalKey(MonitorConfig.mapFields(optional)),
  shell: Schema.optionalKey(ShellConfig.mapFields(optional)),
  events: Schema.optionalKey(EventLimits.mapFields(optional)),
  retry: Schema.optionalKey(RetryLimits.mapFields(optional)),
  feed: Schema.optionalKey(FeedLimits.mapFields(optional)),
  plugins: Schema.optionalKey(Config.fields.plugins),
  plugin: Schema.optionalKey(PluginLimits.mapFields(optional)),
  theme: Schema.optionalKey(Config.fields.theme),
  keys: Schema.optionalKey(Config.fields.keys)
}).annotate({ identifier: "ConfigFile", message: "Expected an object" })
export interface ConfigFile extends Schema.Schema.Type<typeof ConfigFile> {}

export const ConfigProblem = Schema.Struct({
  line: about("From 1", Schema.Int),
  column: about("From 1, in UTF-16 units", Schema.Int),
  key: about("For example `monitor.batchMs`; empty where the file as a whole is meant", Schema.String),
  message: about("What is wrong, for a person", Schema.String)
}).annotate({ identifier: "ConfigProblem", description: "What is wrong in a configuration file, and where." })
export interface ConfigProblem extends Schema.Schema.Type<typeof ConfigProblem> {}

export class ConfigInvalid extends Schema.TaggedError<ConfigInvalid>()(
  "ConfigInvalid",
  {
    file: about("Which file", Schema.String),
    problems: about("All that is wrong in it", Schema.Array(ConfigProblem)),
    message: Schema.String
  },
  {
    httpApiStatus: 422,
    description: "A configuration file can't be used. Mend what is wrong in it, and ask again."
  }
) {}

/** What holds where nothing is set. */
export const defaults: Config = {
  providers: {},
  permission: [],
  monitor: { ...values(monitorLimits), wakeOnRestart: false },
  shell: { ...values(shellLimits), passEnv: [] },
  events: values(eventLimits),
  retry: values(retryLimits),
  feed: values(feedLimits),
  plugins: [],
  plugin: values(pluginLimits),
  theme: "auto",
  keys: {}
}

export const EffectiveConfig = Schema.Struct({
  config: about("Keys and passwords are masked", Config),
  origins: about(
    "A key such as `monitor.batchMs`, and the file that set it; what is not there is a default",
    Schema.Record(Schema.String, Schema.String)
  ),
  ignored: about(
    "What a project may not set",
    Schema.Array(Schema.Struct({ file: Schema.String, key: Schema.String, reason: Schema.String }))
  )
}).annotate({
  identifier: "EffectiveConfig",
  description:
    "What is in force, whose word each value is, and what a project's file says that does not count."
})
export interface EffectiveConfig extends Schema.Schema.Type<typeof EffectiveConfig> {}
