/**
 * `npm run demo`: the main job on a scripted model, no key needed, in about ten seconds.
 *
 * The demo is part of the cli package, by whose dependencies it runs; here is its door.
 */
import { join } from "node:path"

await import(join(import.meta.dir, "..", "packages", "cli", "src", "demo", "main.ts"))
