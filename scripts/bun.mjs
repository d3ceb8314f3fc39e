/**
 * Runs Bun with the arguments given, on a machine that has only git, node and npm.
 *
 *   node scripts/bun.mjs <bun's arguments>     installs what is missing, then runs bun
 *   node scripts/bun.mjs --path                installs what is missing, then prints where bun is
 *
 * Bun is fetched once into .tools/, at the version that package.json pins, and the packages once per
 * bun.lock. When nothing is missing nothing is written, so a read-only checkout that was installed
 * before still runs.
 */
import { spawn } from "node:child_process"
import { createHash } from "node:crypto"
import * as fs from "node:fs"
import { constants } from "node:os"
import { delimiter, dirname, join } from "node:path"
import { fileURLToPath } from "node:url"

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const tools = join(root, ".tools")
const bin = join(tools, "node_modules", ".bin")
const bun = join(bin, "bun")

/** Something the reader can act on: printed without a stack. */
class Refused extends Error {}

const say = (line) => process.stderr.write(`vigil: ${line}\n`)

const readIfThere = (path) => {
  try {
    return fs.readFileSync(path, "utf8")
  } catch {
    return undefined
  }
}

const checkMachine = () => {
  const node = Number(process.versions.node.split(".")[0])
  if (node < 20) throw new Refused(`Node 20 or newer is needed, this is ${process.version}`)
  const platform = `${process.platform}-${process.arch}`
  if (!/^(linux|darwin)-(x64|arm64)$/.test(platform)) {
    throw new Refused(`runs on Linux and macOS, x64 or arm64; this is ${platform}`)
  }
}

const pinnedVersion = (manifest) => {
  const pinned = /^bun@(\d+\.\d+\.\d+)/.exec(JSON.parse(manifest).packageManager ?? "")
  if (!pinned) throw new Refused(`package.json names no exact "packageManager": "bun@x.y.z"`)
  return pinned[1]
}

/**
 * Runs a command in this process group and waits for it, whatever signals come.
 *
 * A terminal's Ctrl-C reaches every process of the group, so it is not sent a second time. SIGTERM and
 * SIGHUP usually come to this process alone and are passed on.
 */
const run = (command, args, options) =>
  new Promise((resolve, reject) => {
    let interrupted = false
    const child = spawn(command, args, options)
    const output = []
    child.stdout?.on("data", (chunk) => output.push(chunk))
    child.stderr?.on("data", (chunk) => output.push(chunk))
    const pass = (signal) => child.kill(signal)
    const heed = () => {
      interrupted = true
    }
    process.on("SIGINT", heed).on("SIGQUIT", heed).on("SIGTERM", pass).on("SIGHUP", pass)
    const settle = (outcome) => {
      process.off("SIGINT", heed).off("SIGQUIT", heed).off("SIGTERM", pass).off("SIGHUP", pass)
      outcome()
    }
    child.on("error", (error) => settle(() => reject(error)))
    child.on("close", (code, signal) =>
      settle(() =>
        resolve({
          code: signal ? 128 + constants.signals[signal] : code,
          stopped: signal !== null || interrupted,
          output: Buffer.concat(output).toString()
        })
      )
    )
  })

/** Runs a step of the installation; its output is shown only when it fails. */
const install = async (what, command, args, env) => {
  const { code, stopped, output } = await run(command, args, {
    cwd: root,
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "pipe"]
  }).catch((error) => {
    throw error.code === "ENOENT" ? new Refused(`${what} needs ${command}, which is not on PATH`) : error
  })
  if (stopped) process.exit(code > 128 ? code : 130)
  if (code === 0) return
  const offline =
    /ENOTFOUND|EAI_AGAIN|DNSResolveFailed|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ConnectionRefused|FailedToOpenSocket/
  const reason = offline.test(output)
    ? "the package registry can't be reached"
    : /lockfile is frozen/.test(output)
      ? "bun.lock doesn't fit the package.json files: run `bun install` and commit bun.lock"
      : `${command} left with ${code}`
  throw new Refused(`${what} failed: ${reason}\n\n${output.trim()}`)
}

/** Where a package manager keeps its cache when home can't be written. */
const cacheDirectory = (name) => {
  try {
    fs.accessSync(process.env.HOME ?? "", fs.constants.W_OK)
    return undefined
  } catch {
    return join(tools, "cache", name)
  }
}

const bunVersion = () => {
  const manifest = fs.existsSync(bun) ? readIfThere(join(tools, "node_modules/bun/package.json")) : undefined
  return manifest && JSON.parse(manifest).version
}

/** Fetches into a folder of its own and moves it into place, so two at once or a crash leave no half. */
const fetchBun = async (version) => {
  say(`fetching Bun ${version} into .tools (once)`)
  fs.mkdirSync(tools, { recursive: true })
  const fetched = fs.mkdtempSync(join(tools, "fetch-"))
  process.once("exit", () => fs.rmSync(fetched, { recursive: true, force: true }))
  const cache = cacheDirectory("npm")
  const flags = [
    "--no-save",
    "--no-package-lock",
    "--ignore-scripts",
    "--include=optional",
    "--no-audit",
    "--no-fund",
    "--loglevel=error",
    "--fetch-retry-maxtimeout=10000"
  ]
  await install("fetching Bun", "npm", [
    "install",
    "--prefix",
    fetched,
    ...flags,
    ...(cache ? ["--cache", cache] : []),
    `bun@${version}`
  ])
  // npm may block install scripts, so the script that puts the executable in place is run by hand.
  await install("unpacking Bun", process.execPath, [join(fetched, "node_modules/bun/install.js")])
  const place = join(tools, "node_modules")
  if (fs.existsSync(place) && bunVersion() !== version) fs.renameSync(place, join(fetched, "replaced"))
  try {
    fs.renameSync(join(fetched, "node_modules"), place)
  } catch (error) {
    if (bunVersion() !== version) throw error
  }
  fs.rmSync(fetched, { recursive: true, force: true })
}

/** Every file that decides which packages are installed, read once. */
const manifests = () => {
  const packages = join(root, "packages")
  const names = fs.existsSync(packages) ? fs.readdirSync(packages).toSorted() : []
  return ["bun.lock", "package.json", ...names.map((name) => join("packages", name, "package.json"))]
    .map((path) => ({ path, text: readIfThere(join(root, path)) }))
    .filter(({ text }) => text !== undefined)
}

const isInstalled = (files, stamp) =>
  readIfThere(join(root, "node_modules/.vigil-installed")) === stamp &&
  files.every(({ path, text }) => {
    const { dependencies = {}, devDependencies = {} } = path.endsWith(".json") ? JSON.parse(text) : {}
    const wanted = Object.keys({ ...dependencies, ...devDependencies }).length > 0
    return !wanted || fs.existsSync(join(root, dirname(path), "node_modules"))
  })

const installPackages = async (stamp) => {
  say("installing packages from bun.lock (once)")
  const cache = cacheDirectory("bun")
  await install("installing packages", bun, [join(root, "scripts/install.ts"), stamp], {
    PATH: searchPath(),
    ...(cache ? { BUN_INSTALL_CACHE_DIR: cache } : {})
  })
}

const searchPath = () => [bin, process.env.PATH].filter(Boolean).join(delimiter)

const prepare = async () => {
  checkMachine()
  const files = manifests()
  const version = pinnedVersion(files.find(({ path }) => path === "package.json").text)
  const hash = createHash("sha256").update(process.platform + process.arch)
  for (const { path, text } of files) hash.update(`\0${path}\0${text}`)
  const stamp = hash.digest("hex")
  if (bunVersion() !== version) await fetchBun(version)
  if (!isInstalled(files, stamp)) await installPackages(stamp)
}

const main = async (args) => {
  try {
    await prepare()
  } catch (error) {
    if (["EROFS", "EACCES", "EPERM"].includes(error.code)) {
      say(`can't install into ${root}: it is not writable (${error.code} at ${error.path})`)
    } else {
      say(error instanceof Refused ? error.message : error.stack)
    }
    return 1
  }
  if (args[0] === "--path") {
    process.stdout.write(`${bun}\n`)
    return 0
  }
  const { code } = await run(bun, args, { stdio: "inherit", env: { ...process.env, PATH: searchPath() } })
  return code
}

process.exitCode = await main(process.argv.slice(2))
