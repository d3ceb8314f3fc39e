/**
 * `LIVE_MODEL=provider/model node scripts/bun.mjs scripts/live.ts`: the demo's story, a watch in queue mode and a stop, by a real model.
 *
 * It is part of the cli package, by whose dependencies it runs; here is its door.
 */
import { join } from "node:path"

await import(join(import.meta.dir, "..", "packages", "cli", "src", "live", "main.ts"))
