/** Who may speak to this server: checked before anything else is read. */
import { StrangerRefused, Unauthorized } from "@vigil/schema/refusal"
import type { MiddlewareHandler } from "hono"
import { createHash, timingSafeEqual } from "node:crypto"
import { isIP } from "node:net"
import { answer } from "./answer.ts"

export interface GuardOptions {
  readonly token: string
  /** Host names that it answers to besides `localhost` and addresses, without port. */
  readonly hosts: ReadonlyArray<string>
  /** Origins whose pages may call it. */
  readonly origins: ReadonlyArray<string>
}

// A page on any domain can have that domain resolve to this machine; its requests still carry the domain's name.
export const knownOnly = ({ hosts, origins }: GuardOptions): MiddlewareHandler => {
  const names = new Set(["localhost", ...hosts.map((name) => name.toLowerCase())])
  const known = (host: string) => {
    const name = hostName(host)
    return name !== undefined && (names.has(name) || isAddress(name))
  }
  return async (c, next) => {
    if (!known(c.req.header("host") ?? URL.parse(c.req.url)?.host ?? "")) {
      return answer(new StrangerRefused({ header: "host" }))
    }
    const origin = c.req.header("origin")
    if (origin !== undefined && !origins.includes(origin)) {
      return answer(new StrangerRefused({ header: "origin" }))
    }
    return next()
  }
}

/** By the token; a feed also by a ticket, which is used up by that. */
export const bearerOnly = (
  { token }: GuardOptions,
  redeem: (ticket: string) => Promise<boolean>
): MiddlewareHandler => {
  const expected = digest(token)
  return async (c, next) => {
    const given = /^bearer +([^ ]+)$/iu.exec(c.req.header("authorization") ?? "")?.[1] ?? ""
    // Digests have one length, so the comparison takes as long for every wrong token.
    if (timingSafeEqual(digest(given), expected)) return next()
    const ticket = c.req.method === "GET" && c.req.path === "/api/event" ? c.req.query("ticket") : undefined
    if (ticket !== undefined && (await redeem(ticket))) return next()
    return answer(new Unauthorized({}), { "www-authenticate": "Bearer" })
  }
}

const digest = (text: string) => createHash("sha256").update(text).digest()

const hostName = (host: string) =>
  /^[\w.:[\]-]+$/u.test(host) && URL.canParse(`http://${host}`)
    ? new URL(`http://${host}`).hostname
    : undefined

const isAddress = (name: string) => isIP(name.replace(/^\[(.*)\]$/u, "$1")) !== 0
