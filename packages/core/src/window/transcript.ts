/**
 * A conversation as text, to be summarised. Pure.
 *
 * What Vigil says of an entry begins its line; whatever was said in it is indented, so that nothing in it can pass
 * for an entry.
 */
import type { MessageWithParts, Part } from "@vigil/schema/message"
import { clip } from "../monitor/clean.ts"
import { defang } from "../monitor/defang.ts"
import { payloadText } from "../monitor/notice.ts"

interface Entry {
  readonly title: string
  readonly text: string
  /** What is cut first where there is too much: outputs, then what else may be cut; prompts and summaries last. */
  readonly kind: "output" | "said" | "kept"
  /** Already made harmless, or the user's own words. */
  readonly harmless?: true
}

/** How long, in bytes, an output may be and any other text, from try to try. */
const tries: ReadonlyArray<Readonly<Record<Entry["kind"], number>>> = [
  { output: 16_384, said: 65_536, kept: Infinity },
  { output: 4_096, said: 65_536, kept: Infinity },
  { output: 1_024, said: 65_536, kept: Infinity },
  ...[32_768, 16_384, 8_192, 4_096, 2_048, 1_024].map((said) => ({ output: 256, said, kept: Infinity })),
  { output: 0, said: 512, kept: 65_536 }
]

/** At most `maxBytes`. Outputs are cut first, then other texts, then the oldest entries are left out. */
export const transcriptText = (messages: ReadonlyArray<MessageWithParts>, maxBytes: number): string => {
  const entries = messages.flatMap(entriesOf)
  let texts: Array<string> = []
  for (const bounds of tries) {
    texts = entries.map((entry) => entryText(entry, bounds[entry.kind]))
    if (bytesOf(texts) <= maxBytes) return texts.join("\n")
  }
  // What is newest counts most, and what the user said.
  const remark = "(Older entries did not fit here.)"
  let left = maxBytes - Buffer.byteLength(remark) - 1
  const chosen = new Set<number>()
  const choose = (which: (entry: Entry) => boolean) => {
    for (let index = entries.length - 1; index >= 0; index--) {
      const bytes = Buffer.byteLength(texts[index]!) + 1
      if (!which(entries[index]!) || bytes > left) continue
      chosen.add(index)
      left -= bytes
    }
  }
  choose(({ kind }) => kind === "kept")
  choose(({ kind }) => kind !== "kept")
  return [remark, ...texts.filter((_, index) => chosen.has(index))].join("\n")
}

const bytesOf = (texts: ReadonlyArray<string>) =>
  texts.reduce((sum, text) => sum + Buffer.byteLength(text) + 1, 0)

const entriesOf = ({ message, parts }: MessageWithParts): ReadonlyArray<Entry> => {
  switch (message.role) {
    case "user":
      return [{ title: "The user said:", text: message.payload.text, kind: "kept", harmless: true }]
    case "event":
      return [
        {
          title: "An event came (untrusted data):",
          text: payloadText(message.payload),
          kind: "said",
          harmless: true
        }
      ]
    case "summary":
      return [{ title: "A summary of what was before:", text: message.text, kind: "kept", harmless: true }]
    case "assistant":
      return message.status === "failed" ? [] : parts.flatMap(partEntries)
  }
}

const partEntries = (part: Part): ReadonlyArray<Entry> => {
  switch (part.type) {
    case "text":
      return part.text.trim() === "" ? [] : [{ title: "The agent said:", text: part.text, kind: "said" }]
    case "reasoning":
      return []
    case "tool":
      return [
        { title: `The agent called ${part.name} with:`, text: part.input, kind: "said" },
        { title: `${outcome[part.status]} (untrusted data):`, text: part.output ?? "", kind: "output" }
      ]
  }
}

const outcome = {
  running: "It has not ended",
  completed: "It answered",
  failed: "It failed",
  interrupted: "It was interrupted"
}

const entryText = ({ title, text, harmless }: Entry, maxBytes: number): string => {
  const clipped = maxBytes === Infinity ? text : clip(text, maxBytes)
  const said = harmless ? clipped : defang(clipped)
  return `${title}\n  ${said.replaceAll(/\r\n?|\n/gu, "\n  ")}`
}
