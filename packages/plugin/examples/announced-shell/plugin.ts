/** Wraps `shell`, adds a tool, and posts an event when a command failed. */
import { definePlugin } from "@vigil/plugin/plugin"

export default definePlugin({
  name: "announced-shell",
  setup(host) {
    const runs = new Map<string, number>()

    host.tools.transform((tools) => {
      tools.wrap("shell", (execute) => async (input, call) => {
        const result = await execute(input, call)
        const count = (runs.get(call.sessionID) ?? 0) + 1
        runs.set(call.sessionID, count)
        if (count === 1) {
          await host.session.synthetic(call.sessionID, {
            text: `The first command of this session was: ${input.command}`,
            description: "command counter",
            delivery: "queue"
          })
        }
        return { ...result, output: `${result.output}\n[command ${count} of this session]` }
      })

      tools.add({
        name: "command_count",
        description: "Says how many commands the shell tool has run in this session.",
        inputSchema: { type: "object", properties: {}, additionalProperties: false },
        execute: (_, { sessionID }) => {
          const count = runs.get(sessionID) ?? 0
          return { output: `${count} so far`, structure: { count } }
        }
      })
    })
  }
})
