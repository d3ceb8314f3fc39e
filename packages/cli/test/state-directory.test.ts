import { describe, expect, test } from "bun:test"
import { stateDirectoryPath } from "../src/state-directory.ts"

const place = { env: {}, home: "/home/ada", cwd: "/work" }

describe("the state directory", () => {
  test("is the user's own by default", () => {
    expect(stateDirectoryPath(place)).toBe("/home/ada/.local/state/vigil")
  })

  test("follows XDG_STATE_HOME where that is absolute", () => {
    expect(stateDirectoryPath({ ...place, env: { XDG_STATE_HOME: "/state" } })).toBe("/state/vigil")
    expect(stateDirectoryPath({ ...place, env: { XDG_STATE_HOME: "state" } })).toBe(
      "/home/ada/.local/state/vigil"
    )
  })

  test("is what VIGIL_STATE_DIR names, and before that --state-dir", () => {
    const env = { XDG_STATE_HOME: "/state", VIGIL_STATE_DIR: "mine" }
    expect(stateDirectoryPath({ ...place, env })).toBe("/work/mine")
    expect(stateDirectoryPath({ ...place, env, flag: "/flag" })).toBe("/flag")
  })
})
