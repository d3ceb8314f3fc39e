import { expect, test } from "bun:test"
import { childEnvironment } from "../src/environment.ts"

const env = {
  PATH: "/bin",
  OPENAI_API_KEY: "secret",
  ANTHROPIC_API_KEY: "secret",
  VIGIL_PASSWORD: "secret",
  VIGILANT: "yes",
  EMPTY: "",
  GONE: undefined
}
const providerVariables = ["OPENAI_API_KEY", "ANTHROPIC_API_KEY"]

test("a command sees neither provider keys nor the server's own variables", () => {
  expect(childEnvironment({ env, providerVariables })).toEqual({ PATH: "/bin", VIGILANT: "yes", EMPTY: "" })
})

test("named variables are let through", () => {
  const passed = childEnvironment({
    env,
    providerVariables,
    passEnv: ["OPENAI_API_KEY", "VIGIL_PASSWORD", "NONE"]
  })
  expect(passed).toEqual({
    PATH: "/bin",
    VIGILANT: "yes",
    EMPTY: "",
    OPENAI_API_KEY: "secret",
    VIGIL_PASSWORD: "secret"
  })
})

test("what is set for the command wins", () => {
  const extra = { VIGIL_SESSION_ID: "ses_1", PATH: "/other" }
  expect(childEnvironment({ env, providerVariables, extra })).toMatchObject(extra)
})
