/** Requests by raw fetch, and answers read as server-sent events. */
import { afterEach } from "bun:test"
import { type Simulation, type SimulationOptions, startSimulation } from "../../src/server.ts"

const running: Array<Simulation> = []
afterEach(() => Promise.all(running.splice(0).map((simulation) => simulation.stop())))

export const simulate = (options: SimulationOptions): Simulation => {
  const simulation = startSimulation(options)
  running.push(simulation)
  return simulation
}

export interface Sent {
  readonly event: string | undefined
  readonly data: any
}

/** The events of an answer, and whether the connection broke. */
export const events = async (response: Response): Promise<{ sent: Array<Sent>; broke: boolean }> => {
  let body = ""
  let broke = false
  const decoder = new TextDecoder()
  try {
    for await (const bytes of response.body!) body += decoder.decode(bytes, { stream: true })
  } catch {
    broke = true
  }
  const sent = body
    .split("\n\n")
    .filter((frame) => frame !== "")
    .map((frame) => {
      const data = /^data: (.*)$/mu.exec(frame)?.[1] ?? ""
      return { event: /^event: (.*)$/mu.exec(frame)?.[1], data: data === "[DONE]" ? data : JSON.parse(data) }
    })
  return { sent, broke }
}

export const post = (url: string, body: unknown, headers: Record<string, string> = {}) =>
  fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(body)
  })

export const messages = (
  { url }: Simulation,
  messages: ReadonlyArray<unknown>,
  more: object = {},
  headers: Record<string, string> = {}
) =>
  post(
    `${url}/v1/messages`,
    { model: "claude-test", max_tokens: 1000, stream: true, messages, ...more },
    { "anthropic-version": "2023-06-01", ...headers }
  )

export const completions = (
  { url }: Simulation,
  messages: ReadonlyArray<unknown>,
  more: object = {},
  headers: Record<string, string> = {}
) => post(`${url}/v1/chat/completions`, { model: "gpt-test", stream: true, messages, ...more }, headers)
