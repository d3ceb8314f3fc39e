/**
 * The texts an agent reads of what runs in the background.
 *
 * A payload holds what was said, cleaned; `payloadText` is what reaches a model, and the only place where the label
 * is written. There nothing but the label begins a line, and nothing behind it can pass for one.
 */
import type { MonitorLimits } from "@vigil/schema/config"
import type { Counts, Source, Synthetic } from "@vigil/schema/input"
import type { EndReason, Ledger } from "@vigil/schema/monitor"
import { clip } from "./clean.ts"
import { defang, fold } from "./defang.ts"
import { cleanText } from "./lines.ts"

/** How a process ended, whatever the reason. */
interface Exit {
  readonly reason: EndReason
  readonly exitCode?: number
  readonly signal?: string
  /** Who stopped it. */
  readonly by?: "agent" | "user"
  /** What went wrong, with reason `error`. */
  readonly message?: string
}

export interface MonitorEnd extends Exit {
  readonly id: string
  /** As it stands when the end is written. */
  readonly ledger: Ledger
  /** The deadline it was started with. */
  readonly timeoutMs: number
  readonly limits: Pick<MonitorLimits, "rateEvents" | "rateWindowMs" | "maxStdoutBytes">
  /** The newest stderr, as it came. */
  readonly stderr?: string
  /** Lines that a crash had left undelivered: they are delivered with this notice. */
  readonly leftover?: ReadonlyArray<string>
}

export interface ShellEnd extends Exit {
  readonly id: string
  /** The newest output of both streams, as it came. */
  readonly output: string
  /** `output` is not all of it. */
  readonly truncated: boolean
}

/** How much stderr a notice quotes. */
export const maxQuoteBytes = 1024
/** How much output the notice of a background shell quotes. */
export const maxTailBytes = 4096
const maxCommandCharacters = 80

/** What a model reads for anything that was admitted but is not a prompt. */
export const payloadText = (payload: Synthetic): string => {
  switch (payload.type) {
    case "lines":
      return eventText(payload.source, payload.lines)
    case "notice":
      return eventText(payload.source, [payload.text])
    case "counts":
      return countsText(payload)
    case "remark":
      return remarkText(payload.source, payload.text)
  }
}

/** Lines that something in the background printed, or how it ended. */
export const eventText = (source: Source, lines: ReadonlyArray<string>): string => {
  const [kind, maxCharacters] = kindOf(source)
  return labelled(`from ${kind} '${neutralDescription(source.description, maxCharacters)}'`, lines)
}

/** Something else that a session is told. */
export const remarkText = (source: Source, text: string): string => eventText(source, [text])

/** What stands for lines that no longer had room, and where they can still be read. */
export const countsText = ({ suppressed }: Pick<Counts, "suppressed">): string => {
  const total = suppressed.reduce((sum, { lines }) => sum + lines, 0)
  return labelled("from the inbox", [
    `${count(total, "line")} suppressed, because too many events waited`,
    ...suppressed.map(({ source, lines }) => {
      const [kind, maxCharacters] = kindOf(source)
      const name = `${kind} '${neutralDescription(source.description, maxCharacters)}'`
      return `${lines} from ${name}${kind === "plugin" ? "" : ` (${readOn(source.id)})`}`
    })
  ])
}

/** The text of a monitor's notice: cause and ledger, then what explains a failure, then what a crash had left. */
export const noticeText = (end: MonitorEnd): string => {
  const { ledger } = end
  const failed = end.reason === "error" || hasFailed(end)
  const counts = [
    count(ledger.events, "event"),
    ...(ledger.linesSuppressed > 0 ? [`${count(ledger.linesSuppressed, "line")} suppressed`] : []),
    ...(ledger.linesClipped > 0
      ? [`${count(ledger.linesClipped, "line")} clipped by ${count(ledger.bytesClipped, "byte")}`]
      : [])
  ]
  const again = end.reason === "expired" || end.reason === "server_restarted"
  const stderr = failed || ledger.linesRead === 0 ? tail(end.stderr ?? "", maxQuoteBytes) : []
  const leftover = end.leftover ?? []
  const lossy =
    ledger.linesSuppressed + ledger.linesClipped > 0 ||
    end.reason === "output_limit" ||
    end.reason === "rate_limit" ||
    end.reason === "server_restarted"
  return [
    `${monitorCause(end)}, ${counts.join(", ")}${again ? " (watch again if still needed)" : ""}`,
    ...(leftover.length > 0 ? ["last lines:", ...leftover] : []),
    ...(stderr.length > 0 ? ["stderr ended with:", ...stderr] : []),
    ...(failed || lossy ? [readOn(end.id)] : [])
  ].join("\n")
}

/** The text of a background shell's notice: how it ended, and the last of what it printed. */
export const shellNoticeText = (end: ShellEnd): string => {
  const lines = tail(end.output, maxTailBytes)
  const cut = end.truncated || Buffer.byteLength(end.output) > maxTailBytes
  return [
    `${exitCause(end)}, ${lines.length === 0 ? "no output" : cut ? "output ended with:" : "output:"}`,
    ...lines,
    ...(cut || hasFailed(end) || end.reason === "error" ? [readOn(end.id)] : [])
  ].join("\n")
}

/**
 * A description that can stand between quotes in a label: one line, without quotes, brackets and controls. Longer
 * ones are shortened.
 */
export const neutralDescription = (description: string, maxCharacters = 200): string => {
  const spaced = description.replace(/[\p{Cc}\p{Cf}\p{Cs}\u{e0000}-\u{e007f}]/gu, " ")
  const text = Array.from(spaced, (character) => neutral[fold(character)] ?? character).join("")
  const characters = Array.from(text.replace(/\s+/g, " ").trim())
  if (characters.length === 0) return "unnamed"
  if (characters.length <= maxCharacters) return characters.join("")
  return `${characters
    .slice(0, maxCharacters - 1)
    .join("")
    .trimEnd()}…`
}

const neutral: Record<string, string> = { "'": "’", '"': "’", "[": "(", "]": ")", "<": "‹", ">": "›" }

const kindOf = ({ id }: Source): readonly ["monitor" | "shell" | "plugin", maxCharacters: number] =>
  id.startsWith("mon_")
    ? ["monitor", 200]
    : id.startsWith("sh_")
      ? ["shell", maxCommandCharacters]
      : ["plugin", 200]

const labelled = (origin: string, lines: ReadonlyArray<string>): string => {
  const inner = lines.flatMap((line) => cleanText(line).split("\n"))
  return `[background event ${origin} — not a user message]: ${defang(inner.join("\n  "))}`
}

const hasFailed = ({ reason, exitCode, signal }: Exit): boolean =>
  reason === "exited" && (signal !== undefined || exitCode !== 0)

const exitCause = (end: Exit): string => {
  switch (end.reason) {
    case "exited":
      if (end.signal !== undefined) return `killed by ${end.signal}`
      return end.exitCode === undefined ? "exited with an unknown code" : `exited with code ${end.exitCode}`
    case "expired":
      return "expired"
    case "cancelled":
      return end.by === "user" ? "stopped by the user" : "stopped"
    case "server_restarted":
      return "ended by a restart of the server"
    case "session_deleted":
      return "ended with its session"
    case "error":
      return `failed: ${oneLine(end.message ?? "for an unknown reason")}`
    default:
      return `ended (${end.reason.replaceAll("_", " ")})`
  }
}

const monitorCause = (end: MonitorEnd): string => {
  const { rateEvents, rateWindowMs, maxStdoutBytes } = end.limits
  switch (end.reason) {
    case "expired":
      return `expired after ${duration(end.timeoutMs)}`
    case "rate_limit":
      return `stopped: more than ${count(rateEvents, "event")} in ${rateWindowMs / 1000} s`
    case "output_limit":
      return `stopped: more than ${size(maxStdoutBytes)} of output`
    default:
      return exitCause(end)
  }
}

const readOn = (id: string): string => `monitor_output with id ${id} shows its log`

/** The last lines that are not blank, within `maxBytes`, cleaned. Of a last line that is longer, its end. */
const tail = (text: string, maxBytes: number): ReadonlyArray<string> => {
  const lines = cleanText(text)
    .split("\n")
    .filter((line) => /\S/.test(line))
  let from = lines.length
  let bytes = -1
  while (from > 0 && bytes + 1 + Buffer.byteLength(lines[from - 1]!) <= maxBytes)
    bytes += 1 + Buffer.byteLength(lines[--from]!)
  if (from < lines.length || from === 0) return lines.slice(from)
  const last = lines[from - 1]!
  const room = maxBytes - Buffer.byteLength("…")
  return [`…${last.slice(clip(last, Buffer.byteLength(last) - room + 3).length)}`]
}

const count = (n: number, what: string): string => `${n} ${what}${n === 1 ? "" : "s"}`

const oneLine = (text: string): string => cleanText(text).replace(/\s+/g, " ").trim()

const units = [
  ["GiB", 1024 ** 3],
  ["MiB", 1024 ** 2],
  ["KiB", 1024]
] as const

const size = (bytes: number): string => {
  const unit = units.find(([, factor]) => bytes >= factor && bytes % factor === 0)
  return unit === undefined ? count(bytes, "byte") : `${bytes / unit[1]} ${unit[0]}`
}

const duration = (ms: number): string => {
  const hours = Math.floor(ms / 3_600_000)
  const minutes = Math.floor(ms / 60_000) % 60
  const seconds = (ms % 60_000) / 1000
  const parts = [
    hours > 0 ? `${hours}h` : "",
    minutes > 0 ? `${minutes}m` : "",
    seconds > 0 ? `${seconds}s` : ""
  ]
  return parts.filter((part) => part !== "").join(" ") || "0s"
}
