import { describe, expect, test } from "bun:test"
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { clientFolder, generatedProblems, openapiFile, regenerate } from "../generated.ts"

const fresh = await regenerate()

/** A tree that holds what was generated, for a test to spoil. */
const committed = (spoil: (base: string) => void) => {
  const base = mkdtempSync(join(tmpdir(), "vigil-committed-"))
  try {
    for (const [path, text] of fresh) {
      mkdirSync(dirname(join(base, path)), { recursive: true })
      writeFileSync(join(base, path), text)
    }
    spoil(base)
    return generatedProblems(fresh, base)
  } finally {
    rmSync(base, { recursive: true })
  }
}

describe("generated files", () => {
  test("are the document and the client, the same each time", async () => {
    expect([...fresh.keys()]).toContain(openapiFile)
    expect([...fresh.keys()]).toContain(`${clientFolder}/types.gen.ts`)
    expect(await regenerate()).toEqual(fresh)
    expect(committed(() => {})).toEqual([])
  })

  test("are told when the document was edited by hand, with the line", () => {
    const problems = committed((base) => {
      const file = join(base, openapiFile)
      writeFileSync(file, readFileSync(file, "utf8").replace('"title": "Vigil"', '"title": "Argus"'))
    })
    expect(problems).toEqual([`${openapiFile}:4 is not what the contract gives`])
  })

  test("are told when one is missing, or is left from before", () => {
    const problems = committed((base) => {
      rmSync(join(base, clientFolder, "sdk.gen.ts"))
      writeFileSync(join(base, clientFolder, "old.gen.ts"), "")
    })
    expect(problems).toEqual([
      `${clientFolder}/old.gen.ts is not generated any more`,
      `${clientFolder}/sdk.gen.ts is missing`
    ])
  })
})
