/** JSON Schemas as a person would write them. */
import { type Json, type Node, isNode, rewrite } from "./document.ts"

/** What is said of a field stands beside its type, and bounds are those that somebody set. */
export const flatten = <A extends Json>(value: A): A =>
  rewrite(value, (_key, value) => (isNode(value) ? merged(unbounded(value)) : value))

const merged = ({ allOf, ...schema }: Node): Node => {
  if (!Array.isArray(allOf)) return schema
  const left: Array<Json> = []
  let all = schema
  for (const member of allOf) {
    const clash = Object.keys(member).some((key) => key in all && key !== "description")
    if (clash) left.push(member)
    else all = { ...all, ...member }
  }
  return left.length === 0 ? all : { ...all, allOf: left }
}

const unbounded = (schema: Node): Node =>
  schema["type"] === "integer"
    ? Object.fromEntries(
        Object.entries(schema).filter(([, value]) => Math.abs(Number(value)) !== Number.MAX_SAFE_INTEGER)
      )
    : schema
