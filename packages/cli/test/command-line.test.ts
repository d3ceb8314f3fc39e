/** Words that become a command line, and the environment that goes with them. */
import { expect, test } from "bun:test"
import { ownEnvironment } from "../src/environment.ts"
import { shellWords } from "../src/view/command-line.ts"

test("words reach a command as they were, whatever is in them", () => {
  const words = ["a b", "it's", "$HOME", "`id`", "", "*", "a\nb", "--x=1", "ä", '"', "\\", "!", "~"]
  const { stdout } = Bun.spawnSync(["sh", "-c", `printf '%s\\0' ${shellWords(words)}`])
  expect(stdout.toString().split("\0").slice(0, -1)).toEqual(words)
})

test("a word that a shell would leave alone stands as it is", () => {
  expect(shellWords(["npm", "run", "build:all", "--if-present"])).toBe("npm run build:all --if-present")
})

test("the environment is without what no request can carry", () => {
  const long = "x".repeat(131_072)
  expect(ownEnvironment({ A: "1", EMPTY: "", UNSET: undefined, LONG: long, "a=b": "2", "": "3" })).toEqual({
    A: "1",
    EMPTY: ""
  })
  const many = Object.fromEntries(Array.from({ length: 3_000 }, (_, n) => [`V${n}`, ""]))
  expect(Object.keys(ownEnvironment(many))).toHaveLength(2_000)
})
