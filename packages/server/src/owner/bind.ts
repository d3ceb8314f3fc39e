/** Where a server may listen. Pure. */
import { Schema } from "effect"
import { isIPv4, isIPv6 } from "node:net"

/** Anybody who reaches the machine would reach the server, and only a token that its user set may let them in. */
export class BindRefused extends Schema.TaggedError<BindRefused>()("BindRefused", {
  hostname: Schema.String,
  message: Schema.String
}) {}

export const defaultHostname = "127.0.0.1"

/** Whether only this machine can reach it. A name other than `localhost` may mean any machine. */
export const isLoopback = (hostname: string): boolean => {
  const host = bare(hostname).toLowerCase()
  if (isIPv4(host)) return host.startsWith("127.")
  return host === "localhost" || host === "::1" || /^::ffff:127\.\d+\.\d+\.\d+$/u.test(host)
}

export const bindRefused = (hostname: string) =>
  new BindRefused({
    hostname,
    message: `Other machines could reach ${hostname}, so the server needs a token that you set. Set VIGIL_TOKEN, for example with: export VIGIL_TOKEN=$(openssl rand -hex 32). Or leave out --hostname to listen on this machine only.`
  })

/** How this machine reaches what listens there: a wildcard is no address. */
export const localUrl = (hostname: string, port: number): string => {
  const host = bare(hostname)
  if (host === "0.0.0.0") return `http://127.0.0.1:${port}`
  if (host === "::" || host === "") return `http://[::1]:${port}`
  return isIPv6(host) ? `http://[${host}]:${port}` : `http://${host}:${port}`
}

const bare = (hostname: string) => hostname.replace(/^\[(.*)\]$/u, "$1")
