import { afterAll, describe, expect, test } from "bun:test"
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"

const root = dirname(dirname(import.meta.dir))
const node = Bun.which("node") ?? "node"
const folder = realpathSync(mkdtempSync(join(tmpdir(), "vigil-bun-")))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** An npm that installs the Bun that runs this test, and notes each call. */
const npm = `#!/bin/sh
echo npm >> "$CALLS"
while [ "$1" != --prefix ]; do shift; done
mkdir -p "$2/node_modules/.bin" "$2/node_modules/bun"
echo '{ "version": "${Bun.version}" }' > "$2/node_modules/bun/package.json"
echo 'require("fs").symlinkSync(process.env.REAL_BUN, __dirname + "/../.bin/bun")' > "$2/node_modules/bun/install.js"
`

const refusingNpm = `#!/bin/sh
echo 'npm error code ENOTFOUND' >&2
exit 1
`

interface Checkout {
  readonly path: string
  readonly env: Record<string, string>
}

let count = 0

/** A checkout of nothing but the scripts, on a machine whose PATH has `npm` if given. */
const checkout = (npmScript?: string): Checkout => {
  const path = join(folder, `checkout ${++count}`)
  const programs = join(folder, `programs-${count}`)
  for (const each of [join(path, "scripts"), join(path, "packages/cli/src"), programs]) {
    mkdirSync(each, { recursive: true })
  }
  for (const file of ["scripts/bun.mjs", "scripts/install.ts", "vigil"])
    cpSync(join(root, file), join(path, file))
  writeFileSync(
    join(path, "package.json"),
    JSON.stringify({ name: "x", packageManager: `bun@${Bun.version}` })
  )
  writeFileSync(
    join(path, "packages/cli/src/main.ts"),
    "console.log(JSON.stringify([process.cwd(), ...process.argv.slice(2)]))"
  )
  for (const name of ["sh", "mkdir", "dirname", "readlink"])
    symlinkSync(Bun.which(name) ?? "", join(programs, name))
  symlinkSync(node, join(programs, "node"))
  if (npmScript !== undefined) {
    writeFileSync(join(programs, "npm"), npmScript)
    chmodSync(join(programs, "npm"), 0o755)
  }
  const env = { PATH: programs, HOME: folder, REAL_BUN: process.execPath, CALLS: join(path, "calls") }
  return { path, env }
}

const calls = (on: Checkout) =>
  existsSync(on.env.CALLS!) ? readFileSync(on.env.CALLS!, "utf8").trim().split("\n") : []

const start = (on: Checkout, command: ReadonlyArray<string>, cwd = on.path) =>
  Bun.spawn([...command], { cwd, env: on.env, stdio: ["ignore", "pipe", "pipe"] })

const run = async (on: Checkout, command: ReadonlyArray<string>, cwd?: string) => {
  const child = start(on, command, cwd)
  const [stdout, stderr, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited
  ])
  return { stdout, stderr, code }
}

const wrapper = (...args: ReadonlyArray<string>) => ["node", "scripts/bun.mjs", ...args]

const script = (on: Checkout, text: string) => {
  const path = join(on.path, "script.ts")
  writeFileSync(path, text)
  return path
}

describe("installing", () => {
  test("fetches Bun and the packages once, and writes nothing the second time", async () => {
    const here = checkout(npm)
    const first = await run(here, wrapper("--version"))
    expect(first).toMatchObject({ stdout: `${Bun.version}\n`, code: 0 })
    expect(first.stderr.trim().split("\n")).toHaveLength(2)
    expect(await run(here, wrapper("--version"))).toEqual({ stdout: `${Bun.version}\n`, stderr: "", code: 0 })
    expect(calls(here)).toEqual(["npm"])
  })

  test("two at once both run", async () => {
    const here = checkout(npm)
    const both = await Promise.all([run(here, wrapper("--version")), run(here, wrapper("--version"))])
    expect(both.map(({ stdout, code }) => [stdout, code])).toEqual([
      [`${Bun.version}\n`, 0],
      [`${Bun.version}\n`, 0]
    ])
    expect([
      ...new Bun.Glob("fetch-*").scanSync({ cwd: join(here.path, ".tools"), onlyFiles: false })
    ]).toEqual([])
  })

  test("fetches again when package.json pins another version", async () => {
    const here = checkout(npm)
    await run(here, wrapper("--version"))
    writeFileSync(join(here.path, ".tools/node_modules/bun/package.json"), `{ "version": "0.0.1" }`)
    expect(await run(here, wrapper("--version"))).toMatchObject({ stdout: `${Bun.version}\n`, code: 0 })
    expect(calls(here)).toEqual(["npm", "npm"])
  })

  test("says that npm is missing", async () => {
    const { stderr, code } = await run(checkout(), wrapper("--version"))
    expect(code).toBe(1)
    expect(stderr).toContain("fetching Bun needs npm, which is not on PATH")
  })

  test("says that the registry can't be reached, shows npm's words, and leaves nothing half done", async () => {
    const here = checkout(refusingNpm)
    const { stderr, code } = await run(here, wrapper("--version"))
    expect(code).toBe(1)
    expect(stderr).toContain("the package registry can't be reached")
    expect(stderr).toContain("npm error code ENOTFOUND")
    expect([...new Bun.Glob("**").scanSync({ cwd: join(here.path, ".tools"), onlyFiles: false })]).toEqual([])
  })

  test("says that bun.lock doesn't fit package.json", async () => {
    const here = checkout(npm)
    writeFileSync(
      join(here.path, "package.json"),
      JSON.stringify({ name: "x", packageManager: `bun@${Bun.version}`, dependencies: { y: "file:./y" } })
    )
    mkdirSync(join(here.path, "y"))
    writeFileSync(join(here.path, "y/package.json"), JSON.stringify({ name: "y", version: "1.0.0" }))
    writeFileSync(
      join(here.path, "bun.lock"),
      `{ "lockfileVersion": 1, "workspaces": { "": { "name": "x" } }, "packages": {} }`
    )
    const { stderr, code } = await run(here, wrapper("--version"))
    expect(code).toBe(1)
    expect(stderr).toContain("bun.lock doesn't fit the package.json files")
  })
})

describe("running", () => {
  test("hands on arguments, output and exit code as they are", async () => {
    const here = checkout(npm)
    const path = script(here, "console.log(JSON.stringify(process.argv.slice(2))); process.exit(7)")
    const args = ["two words", "", "--flag=*", `"quoted"`, "$HOME", "é\n"]
    const { stdout, code } = await run(here, wrapper(path, ...args))
    expect(JSON.parse(stdout)).toEqual(args)
    expect(code).toBe(7)
  })

  test("what it runs finds the same Bun on PATH", async () => {
    const here = checkout(npm)
    const path = script(here, "console.log(Bun.which('bun'))")
    expect((await run(here, wrapper(path))).stdout).toBe(`${here.path}/.tools/node_modules/.bin/bun\n`)
  })

  const ready = async (stream: ReadableStream<Uint8Array>) => {
    const reader = stream.getReader()
    const text = async () => {
      const { value, done } = await reader.read()
      return done ? undefined : new TextDecoder().decode(value)
    }
    return { first: await text(), text }
  }

  const counting = `
    let heard = 0
    process.on("SIGINT", () => { heard++; if (heard === 1) setTimeout(() => { console.log("heard", heard); process.exit(3) }, 200) })
    process.on("SIGTERM", () => { console.log("ended"); process.exit(4) })
    setInterval(() => {}, 1000)
    console.log(process.pid)
  `

  test("a Ctrl-C reaches the child once, and is waited for", async () => {
    const here = checkout(npm)
    await run(here, wrapper("--version"))
    const child = Bun.spawn(wrapper(script(here, counting)), {
      cwd: here.path,
      env: here.env,
      stdio: ["ignore", "pipe", "inherit"],
      detached: true
    })
    const { text } = await ready(child.stdout)
    process.kill(-child.pid, "SIGINT")
    expect(await text()).toBe("heard 1\n")
    expect(await child.exited).toBe(3)
  })

  test("a child that a Ctrl-C ends leaves 130", async () => {
    const here = checkout(npm)
    await run(here, wrapper("--version"))
    const child = Bun.spawn(wrapper(script(here, "setInterval(() => {}, 1000); console.log(1)")), {
      cwd: here.path,
      env: here.env,
      stdio: ["ignore", "pipe", "inherit"],
      detached: true
    })
    await ready(child.stdout)
    process.kill(-child.pid, "SIGINT")
    expect(await child.exited).toBe(130)
  })

  test("a SIGTERM to it alone ends the child too", async () => {
    const here = checkout(npm)
    await run(here, wrapper("--version"))
    const child = start(here, wrapper(script(here, counting)))
    const { text } = await ready(child.stdout)
    child.kill("SIGTERM")
    expect(await text()).toBe("ended\n")
    expect(await child.exited).toBe(4)
  })
})

describe("./vigil", () => {
  test("runs the CLI from any folder and through symlinks, folder and arguments kept", async () => {
    const here = checkout(npm)
    const links = join(folder, "links")
    mkdirSync(links)
    symlinkSync(join(here.path, "vigil"), join(links, "absolute"))
    symlinkSync("absolute", join(links, "relative"))
    for (const command of [join(here.path, "vigil"), join(links, "absolute"), join(links, "relative")]) {
      const { stdout, code } = await run(here, [command, "two words", "", "*"], links)
      expect(JSON.parse(stdout)).toEqual([links, "two words", "", "*"])
      expect(code).toBe(0)
    }
  })

  test("is replaced by Bun, so that its signals and exit code are the CLI's", async () => {
    const here = checkout(npm)
    writeFileSync(join(here.path, "packages/cli/src/main.ts"), "console.log(process.pid); process.exit(9)")
    const child = start(here, ["./vigil"])
    expect(await new Response(child.stdout).text()).toBe(`${child.pid}\n`)
    expect(await child.exited).toBe(9)
  })
})
