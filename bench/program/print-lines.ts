/**
 * Prints numbered lines at a steady rate, and keeps in a file how many it has written.
 *
 *   bun print-lines.ts <lines> <ms between two> <file>
 */
import { writeFileSync, writeSync } from "node:fs"

const [lines = 0, everyMs = 0] = process.argv.slice(2, 4).map(Number)
const file = process.argv[4] ?? ""
const start = performance.now()

if (everyMs === 0) {
  let text = ""
  for (let line = 1; line <= lines; line++) text += `line ${line}\n`
  process.stdout.write(text)
  writeFileSync(file, String(lines))
} else {
  for (let line = 1; line <= lines; line++) {
    await Bun.sleep(start + line * everyMs - performance.now())
    writeSync(1, `line ${line}\n`)
    writeFileSync(file, String(line))
  }
}
