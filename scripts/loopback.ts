/** Loaded before every test: a request that would leave this machine fails instead. */
const here = /^(localhost|.+\.localhost|127\.\d+\.\d+\.\d+|\[::1\]|0\.0\.0\.0)$/

const leaves = (url: string) => /^(https?|wss?):/.test(url) && !here.test(new URL(url).hostname)

const refuse = (url: string): never => {
  throw new TypeError(`A test may only reach loopback, not ${new URL(url).host}`)
}

const { fetch: realFetch, WebSocket: RealWebSocket } = globalThis

const loopbackFetch = async (input: string | URL | Request, init?: RequestInit): Promise<Response> => {
  const url = input instanceof Request ? input.url : String(input)
  return leaves(url) ? refuse(url) : realFetch(input, init)
}

globalThis.fetch = Object.assign(loopbackFetch, { preconnect: realFetch.preconnect })

globalThis.WebSocket = new Proxy(RealWebSocket, {
  construct: (target, args, self) => {
    const url = String(args[0])
    return leaves(url) ? refuse(url) : Reflect.construct(target, args, self)
  }
})
