/** What is typed wrong, and where help is. */
import { afterAll, describe, expect, test } from "bun:test"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { makeWorld } from "./lib/cli.ts"
import { executed } from "./lib/screen.ts"

const world = makeWorld()
afterAll(() => world[Symbol.asyncDispose]())

describe("a usage error", () => {
  const wrong: ReadonlyArray<readonly [args: ReadonlyArray<string>, says: string, help: string]> = [
    [["run", ""], "vigil: The prompt is empty", "vigil run --help"],
    [["run", "x", "--wiat"], "vigil: unknown flag --wiat; did you mean --wait?", "vigil run --help"],
    [["rnu", "x"], 'vigil: unknown command "rnu"; did you mean run?', "vigil --help"],
    [["session", "lsit"], 'vigil: unknown command "lsit"; did you mean list?', "vigil session --help"],
    [
      ["run", "x", "--timeout", "5"],
      'vigil: --timeout "5" is not a time like 30s, 5m or 1h, a week at most',
      "vigil run --help"
    ],
    [["run", "x", "--timeout"], "vigil: --timeout needs a value", "vigil run --help"],
    [["run", "two", "words"], 'vigil: more than was expected: "words"', "vigil run --help"],
    [["run", "x", "--session", "ses_1", "--dir", "."], "vigil: --dir can't be used with", "vigil run --help"],
    [["trust", "--yes", "--revoke"], "vigil: --yes, --revoke and --list can't", "vigil trust --help"],
    [["trust", "--json"], "vigil: --json belongs to --list", "vigil trust --help"],
    [["permission", "forget"], "vigil: Name a pattern", "vigil permission forget --help"],
    [["completions", "tcsh"], 'vigil: shell "tcsh" is not', "vigil completions --help"],
    [["session", "show"], "vigil: missing argument: id", "vigil session show --help"],
    [["permission", "reply", "ask_1"], "vigil: missing argument: answer", "vigil permission reply --help"],
    [
      ["permission", "reply", "ask_1", "maybe"],
      'vigil: answer "maybe" is not',
      "vigil permission reply --help"
    ],
    [
      ["permission", "reply", "ask_1", "once", "--reason", "x"],
      "vigil: --reason belongs to reject",
      "vigil permission reply --help"
    ],
    [["monitor", "start", "--", "true"], "vigil: Name a session", "vigil monitor start --help"],
    [["monitor", "start", "--new"], "vigil: missing argument: command", "vigil monitor start --help"],
    [
      ["monitor", "start", "--new", "--delivery", "now", "--", "true"],
      'vigil: --delivery "now" is not',
      "vigil monitor start --help"
    ],
    [["monitor", "output", "mon_1", "--limit", "2"], "vigil: --limit", "vigil monitor output --help"]
  ]

  test.each(wrong)("in %j is one clear line and exit code 2", async (args, says, help) => {
    const { code, stdout, stderr } = await executed(...args)
    const [first, second, ...rest] = stderr.trimEnd().split("\n")
    expect(first).toStartWith(says)
    expect(second).toBe(`Help: ${help}`)
    expect(rest).toEqual([])
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" })
  })
})

test("a prompt that is nowhere is missed", async () => {
  expect(await world.vigil(["run"])).toEqual({
    code: 2,
    stdout: "",
    stderr: "vigil: missing argument: prompt\nHelp: vigil run --help\n"
  })
})

test("a prompt on stdin that never ends, or can't be read, is refused", async () => {
  for (const [from, why] of [
    ["/dev/zero", "it is longer than 8 MiB"],
    [world.project, "EISDIR"]
  ] as const) {
    const { code, stdout, stderr } = await world.vigil(["run", "-"], { stdinFrom: from })
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" })
    expect(stderr).toStartWith(`vigil: The prompt can't be read from stdin: ${why}`)
    expect(stderr.split("\n")).toHaveLength(3)
  }
})

describe("help", () => {
  test.each([
    [[]],
    [["run"]],
    [["session"]],
    [["session", "list"]],
    [["session", "show"]],
    [["session", "delete"]],
    [["monitor"]],
    [["monitor", "list"]],
    [["monitor", "output"]],
    [["monitor", "start"]],
    [["monitor", "stop"]],
    [["trust"]],
    [["permission"]],
    [["permission", "list"]],
    [["permission", "reply"]],
    [["permission", "saved"]],
    [["permission", "forget"]],
    [["auth"]],
    [["auth", "login"]],
    [["auth", "list"]],
    [["auth", "logout"]],
    [["models"]],
    [["config"]],
    [["attach"]],
    [["doctor"]],
    [["completions"]]
  ])("of %j begins with examples that are vigil commands", async (path: ReadonlyArray<string>) => {
    const { code, stdout, stderr } = await executed(...path, "--help")
    const [, examples = ""] = /\nExamples\n([^]*?)\n\nUsage/u.exec(stdout) ?? []
    const commands = examples.split("\n").filter((line) => !line.trim().startsWith("#"))
    expect(commands.length).toBeGreaterThan(0)
    for (const command of commands) expect(command).toContain(["vigil", ...path].join(" "))
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" })
  })

  test("names every flag of run", async () => {
    const { stdout } = await executed("run", "--help")
    for (const flag of ["model", "dir", "session", "allow", "wait", "timeout", "json", "state-dir"]) {
      expect(stdout).toContain(`--${flag}`)
    }
  })
})

test("--version prints the version alone", async () => {
  const { code, stdout } = await executed("--version")
  expect(stdout).toMatch(/^\d+\.\d+\.\d+\n$/u)
  expect(code).toBe(0)
})

describe("what a person can mend", () => {
  const failing = async (args: ReadonlyArray<string>, env: Record<string, string | undefined> = {}) => {
    const { code, stdout, stderr } = await world.vigil(args, { env })
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" })
    // A sentence, and no stack.
    expect(stderr).not.toMatch(/^\s+at /mu)
    return stderr
  }

  test("an unknown session is named", async () => {
    for (const args of [
      ["run", "x", "--session", "ses_nope"],
      ["session", "show", "ses_nope"]
    ]) {
      expect(await failing(args)).toBe(
        "vigil: There is no session ses_nope. `vigil session list` shows those there are.\n"
      )
    }
  })

  test("an unknown monitor is named", async () => {
    expect(await failing(["monitor", "output", "mon_nope"])).toStartWith(
      "vigil: There is no monitor mon_nope."
    )
  })

  test("a missing directory is named", async () => {
    expect(await failing(["run", "x", "--dir", "nowhere"])).toBe(
      `vigil: There is no directory ${join(world.project, "nowhere")}\n`
    )
  })

  test("a broken vigil.json is named with its line", async () => {
    const config = join(world.home, "broken")
    const file = join(config, "vigil", "vigil.json")
    await Bun.write(file, '{\n  "monitor": { "batchMss": 5 }\n}\n')
    expect(await failing(["run", "x"], { XDG_CONFIG_HOME: config })).toContain(`vigil: ${file}:2:`)
  })

  test("a project's broken vigil.json is named with its line", async () => {
    const project = join(world.home, "broken-project")
    await Bun.write(join(project, "vigil.json"), "{\n\n  nonsense\n}\n")
    expect(await failing(["run", "x", "--dir", project])).toContain(`${join(project, "vigil.json")}:3:`)
  })

  test("a missing key is asked for", async () => {
    const stderr = await failing(["run", "x"], { ANTHROPIC_API_KEY: undefined })
    expect(stderr).toContain("ANTHROPIC_API_KEY")
    expect(world.requests()).toBe(0)
  })

  test("a missing model is asked for", async () => {
    const stderr = await failing(["run", "x"], { XDG_CONFIG_HOME: join(world.home, "empty") })
    expect(stderr).toContain("--model provider/model")
  })

  test("a state directory that is none is named", async () => {
    const file = join(world.home, "a-file")
    writeFileSync(file, "")
    expect(await failing(["run", "x", "--state-dir", file])).toStartWith(
      `vigil: The state directory ${file} can't be used`
    )
  })

  test("what breaks is one line, and the whole of it is in the log", async () => {
    const stateDir = join(world.home, "damaged")
    await Bun.write(
      join(stateDir, "vigil.db"),
      "this is no database, and long enough to be seen as none".repeat(20)
    )
    for (const args of [
      ["run", "x"],
      ["session", "list"]
    ]) {
      const stderr = await failing([...args, "--state-dir", stateDir])
      expect(stderr).toMatch(/^vigil: Something broke: .+ \(more in .+vigil\.log\)\n$/u)
    }
    expect(await Bun.file(join(stateDir, "vigil.log")).text()).toContain("not a database")
  })
})
