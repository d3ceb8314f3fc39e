/**
 * `node scripts/bun.mjs scripts/prompt.ts`: what a model is sent, whole, as a page; docs/prompt.md holds the newest.
 *
 * It is part of the cli package, by whose dependencies it runs; here is its door.
 */
import { join } from "node:path"

await import(join(import.meta.dir, "..", "packages", "cli", "src", "prompt-page", "main.ts"))
