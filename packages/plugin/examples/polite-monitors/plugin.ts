/** Refuses a monitor that asks a server more often than every 30 seconds. */
import { definePlugin } from "@vigil/plugin/plugin"

const asksServers = /\b(curl|wget|gh|http)\b/
const pauses = /\bsleep\s+(\d+)/g
const politeSeconds = 30

export default definePlugin({
  name: "polite-monitors",
  setup(host) {
    host.on("tool.before", ({ tool, command }) => {
      if (tool !== "monitor" || command === undefined || !asksServers.test(command)) return
      const seconds = [...command.matchAll(pauses)].map(([, pause]) => Number(pause))
      const shortest = Math.min(...seconds)
      if (seconds.length === 0 || shortest >= politeSeconds) return
      host.log(`refused to poll every ${shortest} s`)
      return { deny: `Poll a server every ${politeSeconds} seconds at most, not every ${shortest}.` }
    })
  }
})
