/**
 * The client, from the document: `bun generate.ts [document] [directory]`, by default the committed one and ../src/gen.
 *
 * Runs with a TypeScript 6 of its own: version 7 has no API for it. The same document gives the same files.
 */
import { readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { createClient } from "@hey-api/openapi-ts"

const [
  document = join(import.meta.dir, "../../protocol/openapi.json"),
  output = join(import.meta.dir, "../src/gen")
] = process.argv.slice(2)

/** TypeScript tells unions apart by their literals; with the discriminators each member would become an intersection. */
const input = JSON.parse(readFileSync(document, "utf8"), (key, value: unknown) =>
  key === "discriminator" ? undefined : value
)

await createClient({
  input,
  output: {
    path: output,
    // What is generated does not hold under exactOptionalPropertyTypes.
    header: ["// @ts-nocheck", "// Generated from protocol/openapi.json; do not edit."],
    importFileExtension: ".ts"
  },
  logs: { level: "silent", file: false },
  plugins: [
    "@hey-api/typescript",
    {
      name: "@hey-api/sdk",
      // Nouns are types; what is done with them has a name of its own.
      operations: { strategy: "single", containerName: "Vigil", segmentName: "{{name}}Operations" }
    },
    "@hey-api/client-fetch"
  ]
})

/** For other clients than this one. */
const unused = ["core/params.gen.ts", "core/queryKeySerializer.gen.ts"]

for (const file of unused) rmSync(join(output, file))

for (const file of readdirSync(output, { recursive: true, encoding: "utf8" })) {
  if (!file.endsWith(".ts")) continue
  const path = join(output, file)
  writeFileSync(path, shortNames(withoutLinks(withoutExports(readFileSync(path, "utf8")))))
}

function withoutExports(text: string): string {
  return unused.reduce(
    (text, file) => text.replaceAll(new RegExp(`^export .* from '\\.\\./${file}';\\n`, "gmu"), ""),
    text
  )
}

function withoutLinks(text: string): string {
  return text.replaceAll(/^ *\* *\{@link [^}]*\}\n/gmu, "").replaceAll(/\{@link [^\s}]+ ([^}]*)\}/gu, "$1")
}

/** `vigil.session`, of the class SessionOperations. */
function shortNames(text: string): string {
  return text.replaceAll(/\b(_?[a-z]+)Operations\b/gu, "$1")
}
