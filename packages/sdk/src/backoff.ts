/** Trying again, later each time. */

export interface Backoff {
  /** After the first failure; doubled with each further one. 100 without it. */
  readonly firstMs?: number
  /** 2,000 without it, so that a client is back soon after its server. */
  readonly mostMs?: number
}

/** Spread, so that not all clients of a server come back at once. `askedMs` is what the server itself asked for. */
export const waitMs = (failures: number, { firstMs = 100, mostMs = 2_000 }: Backoff = {}, askedMs?: number) =>
  Math.min(mostMs, failures === 0 && askedMs !== undefined ? askedMs : firstMs * 2 ** failures) *
  (0.5 + Math.random() / 2)

/** Sooner where the signal is aborted. */
export const delay = (ms: number, signal: AbortSignal) =>
  new Promise<void>((resolve) => {
    const done = () => {
      clearTimeout(timer)
      signal.removeEventListener("abort", done)
      resolve()
    }
    const timer = setTimeout(done, ms)
    signal.addEventListener("abort", done)
    if (signal.aborted) done()
  })

/** Whether the same request would be refused again. */
export const stays = (status: number) => status >= 400 && status < 500 && ![408, 425, 429].includes(status)
