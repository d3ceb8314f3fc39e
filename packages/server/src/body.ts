/** The body of a request: not too large, and JSON that means one thing. What it should hold is the contract's to say. */
import { BadRequest, BodyTooLarge } from "@vigil/schema/refusal"
import { duplicateKey } from "./duplicate-key.ts"

export const maxBodyBytes = 8 * 1024 * 1024

/** Its text, which is empty where there is none; or why it is refused. */
export const readBody = async (request: Request): Promise<string | BadRequest | BodyTooLarge> => {
  const bytes = await bounded(request)
  if (bytes === undefined) return new BodyTooLarge({ maxBytes: maxBodyBytes })
  if (bytes.length === 0) return ""
  if (!/^application\/json *(; *charset="?utf-8"? *)?$/iu.test(request.headers.get("content-type") ?? "")) {
    return new BadRequest({ field: "header.content-type", expected: "application/json" })
  }
  const text = decoded(bytes)
  if (text === undefined) return new BadRequest({ field: "body", expected: "text in UTF-8" })
  const problem = problemOf(text)
  return problem === undefined ? text : new BadRequest({ field: "body", expected: problem })
}

/** Undefined where it is too large, whether or not it says so beforehand. */
const bounded = async (request: Request): Promise<Buffer | undefined> => {
  if (Number(request.headers.get("content-length") ?? 0) > maxBodyBytes) return undefined
  const parts: Array<Uint8Array> = []
  let size = 0
  for await (const part of request.body ?? []) {
    size += part.byteLength
    if (size > maxBodyBytes) return undefined
    parts.push(part)
  }
  return Buffer.concat(parts)
}

const utf8 = new TextDecoder("utf-8", { fatal: true })

const decoded = (bytes: Buffer): string | undefined => {
  try {
    return utf8.decode(bytes)
  } catch {
    return undefined
  }
}

const problemOf = (text: string): string | undefined => {
  try {
    JSON.parse(text)
  } catch {
    return "JSON"
  }
  // Half a character can't be stored: it would come back as another.
  if (/\\ud[89a-f]/iu.test(text) && !isWellFormed(JSON.parse(text))) return "whole Unicode characters"
  return duplicateKey(text) ? "JSON in which each key of an object stands once" : undefined
}

const isWellFormed = (value: unknown): boolean => {
  // Walked without recursion: how deep it is was not our choice.
  const left: Array<unknown> = [value]
  while (left.length > 0) {
    const next = left.pop()
    if (typeof next === "string" && !next.isWellFormed()) return false
    if (typeof next === "object" && next !== null) {
      for (const [key, inner] of Object.entries(next)) left.push(key, inner)
    }
  }
  return true
}
