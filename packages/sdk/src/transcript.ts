/** The messages of a session as far as a client has them, and how they grow. Pure. */
import type { Message, MessageDelta, MessageWithParts, Part } from "./gen/types.gen.ts"

/** A message with its parts. Its place is known where it was read, not where an event brought it. */
export interface SyncedMessage {
  readonly seq?: number
  readonly message: Message
  readonly parts: ReadonlyArray<Part>
}

export interface Transcript {
  /** In order. */
  readonly messages: ReadonlyArray<SyncedMessage>
  /** Whether there are messages in front of the first. */
  readonly hasOlder: boolean
  /** How many are kept. */
  readonly room: number
  /** Parts that may still grow, with the text that holds if their end is never told; undefined where that is not known. */
  readonly open: ReadonlyMap<string, string | undefined>
  /** Deltas that came before their part. */
  readonly early: ReadonlyArray<MessageDelta>
  /** What holds can't be told from the events: read anew. */
  readonly stale: boolean
}

/** Messages that are read at first, and kept where no older ones were asked for. */
export const newestMessages = 1_000
const mostEarly = 256

type StreamingPart = Exclude<Part, { readonly type: "tool" }>

const streams = (part: Part): part is StreamingPart => part.type !== "tool"

export const transcriptOf = (messages: ReadonlyArray<MessageWithParts>, hasOlder: boolean): Transcript => ({
  messages,
  hasOlder,
  room: newestMessages,
  open: new Map(messages.flatMap(unfinished)),
  early: [],
  stale: false
})

/** A read does not tell which parts have ended, and of the others not what is stored. */
const unfinished = ({ message, parts }: SyncedMessage): ReadonlyArray<[string, undefined]> =>
  message.role === "assistant" && message.status === "streaming"
    ? parts.filter(streams).map(({ id }) => [id, undefined])
    : []

/** With a page that was asked for, which is kept from now on. */
export const withOlder = (
  transcript: Transcript,
  page: ReadonlyArray<MessageWithParts>,
  hasOlder: boolean
): Transcript => ({
  ...transcript,
  messages: [...page, ...transcript.messages],
  room: transcript.room + page.length,
  hasOlder
})

export const said = (transcript: Transcript, message: Message): Transcript => {
  if (placeOf(transcript, message.id) >= 0) return revised(transcript, message)
  const messages = [...transcript.messages, { message, parts: [] }]
  if (messages.length <= transcript.room) return { ...transcript, messages }
  return { ...transcript, messages: messages.slice(-transcript.room), hasOlder: true }
}

export const revised = (transcript: Transcript, message: Message): Transcript =>
  changed(transcript, message.id, (before) => ({ ...before, message }))

/** Parts whose end was not told hold what is stored of them: a server that dies takes the rest with it. */
export const completed = (transcript: Transcript, message: Message): Transcript => {
  const { messages, open } = revised(transcript, message)
  const parts = messages[placeOf(transcript, message.id)]?.parts.filter(({ id }) => open.has(id)) ?? []
  const still = new Map(open)
  for (const { id } of parts) still.delete(id)
  const endedWell = message.role !== "assistant" || message.status === "completed"
  const doubtful = parts.some(({ id }) => open.get(id) === undefined)
  const closed = changed({ ...transcript, open: still }, message.id, (before) => ({
    ...before,
    message,
    parts: before.parts.map((part) => {
      const text = open.get(part.id)
      return text === undefined || !streams(part) || part.text === text ? part : { ...part, text }
    })
  }))
  return doubtful && !endedWell ? { ...closed, stale: true } : closed
}

export const begun = (transcript: Transcript, part: Part): Transcript => {
  if (placeOf(transcript, part.messageID) < 0) return transcript
  const added = withPart(transcript, part)
  if (!streams(part)) return added
  const ours = transcript.early.filter(({ partID }) => partID === part.id)
  return ours.reduce(grown, {
    ...added,
    open: new Map(transcript.open).set(part.id, part.text),
    early: ours.length === 0 ? transcript.early : transcript.early.filter(({ partID }) => partID !== part.id)
  })
}

export const ended = (transcript: Transcript, part: Part): Transcript => {
  const open = new Map(transcript.open)
  open.delete(part.id)
  return withPart({ ...transcript, open }, part)
}

/** What overlaps is not doubled; behind a gap the part waits for its end, which brings the whole text. */
export const grown = (transcript: Transcript, delta: MessageDelta): Transcript => {
  const place = placeOf(transcript, delta.messageID)
  const part = transcript.messages[place]?.parts.find(({ id }) => id === delta.partID)
  if (part === undefined) return { ...transcript, early: [...transcript.early, delta].slice(-mostEarly) }
  if (!transcript.open.has(part.id) || !streams(part)) return transcript
  const news = delta.text.slice(part.text.length - delta.offset)
  if (part.text.length < delta.offset || news === "") return transcript
  return withPart(transcript, { ...part, text: part.text + news })
}

const withPart = (transcript: Transcript, part: Part) =>
  changed(transcript, part.messageID, (before) => {
    const place = before.parts.findIndex(({ id }) => id === part.id)
    const parts = place < 0 ? [...before.parts, part] : before.parts.with(place, part)
    return { ...before, parts }
  })

const changed = (transcript: Transcript, id: string, by: (before: SyncedMessage) => SyncedMessage) => {
  const place = placeOf(transcript, id)
  const before = transcript.messages[place]
  return before === undefined
    ? transcript
    : { ...transcript, messages: transcript.messages.with(place, by(before)) }
}

/** What changes is nearly always near the end. */
const placeOf = ({ messages }: Transcript, id: string) =>
  messages.findLastIndex(({ message }) => message.id === id)
