/** Frames of a feed, taken apart as a client does. */
export interface Frame {
  readonly text: string
  readonly id: number | undefined
  readonly event: any
}

const parse = (text: string): Frame => {
  const field = (name: string) =>
    text
      .split("\n")
      .find((line) => line.startsWith(`${name}: `))
      ?.slice(name.length + 2)
  const [id, data] = [field("id"), field("data")]
  return { text, id: id === undefined ? undefined : Number(id), event: data && JSON.parse(data) }
}

/** What arrives, whole frames one by one, however the bytes were cut. */
export async function* frames(body: ReadableStream<Uint8Array>): AsyncGenerator<Frame, void> {
  let rest = ""
  const utf8 = new TextDecoder()
  for await (const bytes of body) {
    rest += utf8.decode(bytes, { stream: true })
    const whole = rest.split("\n\n")
    rest = whole.pop()!
    for (const text of whole) yield parse(text)
  }
}

/** Ids of events up to `last`. */
export const idsUntil = async (arriving: AsyncIterable<Frame>, last: number) => {
  const ids: Array<number> = []
  for await (const { id, event } of arriving) {
    if (id === undefined || event === undefined) continue
    ids.push(id)
    if (id >= last) break
  }
  return ids
}

export const range = (from: number, to: number) =>
  Array.from({ length: Math.max(0, to - from + 1) }, (_, index) => from + index)
