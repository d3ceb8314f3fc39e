/**
 * What a conversation that is too long is shortened to. Pure.
 *
 *   before:  [prompt] [summary] m m m m m [prompt] m m m
 *   after:                        [summary] [prompt] m m m     what precedes the last prompt is summarised
 *      or:                [prompt] [summary]           m m     in a session that lives by events
 *
 * Usually the last prompt is near, and what precedes it goes. A session that lives by events may have had its last
 * prompt thousands of steps ago, even as its very first message, so that little or nothing precedes it and all the
 * weight is behind. Then the prompt stays as the user wrote it, and what lies between it and the newest messages is
 * summarised. What the model has not answered yet is never summarised.
 */
import type { MessageWithParts } from "@vigil/schema/message"

/** A request that takes more of the window is made shorter. */
export const fullShare = 0.8
/** What it is made shorter to: so much that it is not needed again soon, since each time costs the cached prefix. */
export const targetShare = 0.5
/** What a summary may have of the window. */
const summaryShare = 1 / 12

/** Tokens that a summary is asked to stay below. */
export const summaryTokens = (window: number): number =>
  Math.round(Math.min(4_000, Math.max(200, window * summaryShare)))

/** A message of the conversation, in its order, and what it takes. */
export interface Sized {
  readonly seq: number
  readonly role: MessageWithParts["message"]["role"]
  /** Tokens of the whole message, and those of its tools' outputs alone. */
  readonly tokens: number
  readonly outputTokens: number
}

export interface SummaryPlan {
  /** The place of the last message that the summary stands for. */
  readonly through: number
  /** The place of the last prompt, where that is among them. */
  readonly keeps: number | undefined
  /** What is summarised, by its index in the conversation. */
  readonly summarised: ReadonlyArray<number>
}

export interface SummaryBounds {
  /** The index of the first message that no completed step has answered yet. */
  readonly unread: number
  /** What prompt and newest messages may take together. */
  readonly room: number
  /** What has fewer tokens is not worth a summary. */
  readonly least: number
}

/** Undefined where nothing is left that is worth it. */
export const planSummary = (
  conversation: ReadonlyArray<Sized>,
  { unread, room, least }: SummaryBounds
): SummaryPlan | undefined => {
  const prompt = conversation.findLastIndex(({ role }) => role === "user")
  const behind = [0]
  for (const { tokens } of conversation.toReversed()) behind.push(behind.at(-1)! + tokens)
  /** What the messages from an index on take, with the prompt where that lies before them. */
  const kept = (from: number) =>
    behind[conversation.length - from]! + (prompt >= 0 && prompt < from ? conversation[prompt]!.tokens : 0)

  // The prompt near the end: it stays, and all behind it.
  let cut = Math.max(0, Math.min(prompt, unread))
  if (kept(cut) > room) {
    let behindPrompt = Math.min(prompt + 1, unread)
    while (behindPrompt < unread && kept(behindPrompt) > room) behindPrompt++
    if (behindPrompt > prompt + 1) cut = behindPrompt
  }
  const summarised = conversation.flatMap((_, index) => (index < cut && index !== prompt ? [index] : []))
  // The last summary alone is not summarised again.
  const fresh = summarised.map((index) => conversation[index]!).filter(({ role }) => role !== "summary")
  if (fresh.length === 0 || fresh.reduce((sum, { tokens }) => sum + tokens, 0) < least) return undefined
  const keeps = prompt >= 0 && prompt < cut ? conversation[prompt]!.seq : undefined
  return { through: Math.max(fresh.at(-1)!.seq, keeps ?? 0), keeps, summarised }
}

/** The index of the first message that no completed step has answered, or whose tools' outputs none has read. */
export const firstUnread = (conversation: ReadonlyArray<MessageWithParts>): number => {
  const last = conversation.findLastIndex(
    ({ message }) => message.role === "assistant" && message.status === "completed"
  )
  const called = conversation[last]?.parts.some(({ type }) => type === "tool") ?? false
  return called ? last : last + 1
}

/**
 * Up to which place outputs are left out, the oldest first, so that `over` tokens are saved. Those that the model
 * has not read yet stay, unless `mustOver` could not be saved without them. Undefined where there are none to leave.
 */
export const planLeavingOut = (
  conversation: ReadonlyArray<Sized>,
  { unread, over, mustOver }: { readonly unread: number; readonly over: number; readonly mustOver: number }
): number | undefined => {
  let saved = 0
  let through: number | undefined
  for (const [index, { seq, outputTokens }] of conversation.entries()) {
    if (saved >= (index < unread ? over : mustOver)) break
    if (outputTokens === 0) continue
    saved += outputTokens
    through = seq
  }
  return through
}
