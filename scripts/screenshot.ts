/**
 * `npm run screenshot`: docs/vigil.svg, from a real run in a real terminal. Needs tmux.
 *
 * It is part of the cli package, by whose dependencies it runs; here is its door.
 */
import { join } from "node:path"

await import(join(import.meta.dir, "..", "packages", "cli", "src", "screenshot", "main.ts"))
