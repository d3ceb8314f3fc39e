/** One figure in a process of its own: `bun run.ts NAME [--full]` prints a line of JSON for each of its results. */
import { Console } from "node:console"
import { figures } from "./figures.ts"

// Results alone go to stdout; what a server in this process logs does not.
Object.assign(console, new Console(process.stderr))

const [name = "", ...flags] = process.argv.slice(2)
const load = figures[name]
if (load === undefined)
  throw new Error(`There is no figure ${name}; there are ${Object.keys(figures).join(", ")}`)
const run = await load()
await run({
  full: flags.includes("--full"),
  tell: (measured) => void process.stdout.write(`${JSON.stringify(measured)}\n`)
})
process.exit(0)
