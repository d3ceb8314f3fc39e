/** A `vigil serve` of a test's world, and requests to it as any program would make them. */
import type { Running, SpawnOptions, World } from "./cli.ts"

export interface Ready {
  readonly url: string
  readonly token: string
  readonly pid: number
}

export interface Serving extends Ready {
  readonly vigil: Running
  readonly get: (path: string) => Promise<Response>
  readonly post: (path: string, body?: unknown) => Promise<Response>
}

/** As soon as it has said that it is ready. */
export const startServing = async (
  world: World,
  args: ReadonlyArray<string> = [],
  options?: SpawnOptions
): Promise<Serving> => {
  const vigil = world.start(["serve", "--json", ...args], options)
  const line = await vigil.printed("\n").catch(async () => {
    throw new Error(`It did not get ready: ${(await vigil.ended).stderr}`)
  })
  const ready = JSON.parse(line) as Ready
  return { ...ready, vigil, ...requests(ready) }
}

export const requests = ({ url, token }: Pick<Ready, "url" | "token">) => {
  const headers = { authorization: `Bearer ${token}` }
  return {
    get: (path: string) => fetch(`${url}/api${path}`, { headers }),
    post: (path: string, body?: unknown) =>
      fetch(`${url}/api${path}`, {
        method: "POST",
        headers: { ...headers, ...(body !== undefined && { "content-type": "application/json" }) },
        ...(body !== undefined && { body: JSON.stringify(body) })
      })
  }
}

/** The id in an answer that made something. */
export const made = async (response: Promise<Response>): Promise<string> => {
  const answer = await response
  const body = (await answer.json()) as { readonly id?: string }
  if (!answer.ok || body.id === undefined) throw new Error(JSON.stringify(body))
  return body.id
}
