/**
 * One small shell per server that outlives it by a second.
 *
 * Its stdin is the lifeline: when that ends, the server is gone, however it went. Then every process group that it
 * was told of gets SIGKILL, and on Linux /proc is swept for the server's mark until nobody is left.
 */
import { type ChildProcess, spawn } from "node:child_process"
import type { Mark } from "./marks.ts"

/**
 * Lines in: `+ GROUP` register, answered with `GROUP`; `- GROUP` forget; `q` an orderly end.
 * $1 mark in the environment; $2 pattern for /proc/PID/limits and $3 the soft limit in bytes, or nothing.
 *
 * Its own soft limit is raised first: inside another server's monitor it must not carry that server's mark, or
 * it would be swept away before it has done its work. The inner loop forks nothing, so that it can hit processes
 * that fork and exit faster than /proc can be listed.
 */
const script = `trap '' HUP INT QUIT TERM PIPE USR1 USR2 ALRM TSTP TTIN TTOU
{ ulimit -S -m "$(ulimit -H -m)"; } >/dev/null 2>&1
groups=' '
while read -r op id; do
  case $op in
    +) case $groups in *" $id "*) ;; *) groups="$groups$id " ;; esac; echo "$id" ;;
    -) case $groups in *" $id "*) groups="\${groups%% $id *} \${groups#* $id }" ;; esac ;;
    q) exit 0 ;;
  esac
done
for id in $groups; do kill -9 "-$id"; done
[ -r /proc/self/environ ] || exit 0
pass=0 clean=0
while [ $pass -lt 150 ] && { [ $pass -lt 25 ] || [ $clean -lt 3 ]; }; do
  pass=$((pass+1)) hit=
  for file in $(grep -lsF -e "$1" /proc/[0-9]*/environ; [ -z "$2" ] || grep -ls -e "$2" /proc/[0-9]*/limits); do
    pid=\${file#/proc/} pid=\${pid%/*}
    read -r stat <"/proc/$pid/stat" || continue
    case \${stat##*) } in [ZX]*) continue ;; esac
    kill -9 "$pid" && hit=1
  done
  chase=0
  while [ "$3" ] && [ $chase -lt 60 ]; do
    chase=$((chase+1)); read -r x x x x new </proc/loadavg
    [ "$new" = "$seen" ] && break
    seen=$new
    for pid in $new $((new-1)); do
      while read -r x word x soft x; do
        case $word in resident) [ "$soft" = "$3" ] && kill -9 "$pid" && hit=1; break ;; esac
      done <"/proc/$pid/limits"
    done
  done
  if [ "$hit" ]; then clean=0; else clean=$((clean+1)); sleep 0.03; fi
done`

const confirmMs = 2000
const closeMs = 1000
// One that dies this often without ever answering can't run here.
const maxFailures = 10

export class Watchdog {
  private readonly sh: string
  private readonly mark: Mark
  private readonly groups = new Set<number>()
  private readonly waiting = new Map<number, () => void>()
  private child: ChildProcess | undefined
  private received = ""
  private failures = 0
  private closing = false

  constructor(sh: string, mark: Mark) {
    this.sh = sh
    this.mark = mark
    this.start()
  }

  /** Undefined while none runs. */
  get pid() {
    return this.child?.pid
  }

  /** True once the watchdog itself has confirmed the group. */
  register(group: number): Promise<boolean> {
    this.groups.add(group)
    return new Promise((resolve) => {
      const settle = (confirmed: boolean) => {
        clearTimeout(timer)
        this.waiting.delete(group)
        resolve(confirmed)
      }
      // An overdue timer may run before the answer that already waits: input gets one more chance.
      const timer = setTimeout(
        () => setTimeout(() => this.waiting.has(group) && settle(false), 50),
        confirmMs
      )
      this.waiting.set(group, () => settle(true))
      if (this.child) this.send(`+ ${group}\n`)
      else this.start()
    })
  }

  /** The group is empty, and its number may become another's. */
  forget(group: number) {
    if (this.groups.delete(group)) this.send(`- ${group}\n`)
  }

  /** Nothing is left to watch. Resolves when it is gone. */
  async close() {
    this.closing = true
    const child = this.child
    if (!child) return
    const gone = new Promise<void>((resolve) => void child.once("exit", () => resolve()))
    const timer = setTimeout(() => child.kill("SIGKILL"), closeMs)
    child.ref()
    this.send("q\n")
    child.stdin!.end()
    await gone
    clearTimeout(timer)
  }

  private start() {
    const { variable, soft } = this.mark
    const pattern = soft === undefined ? "" : `^Max resident set  *${soft} `
    const child = spawnQuietly(this.sh, ["-c", script, "lifeline-watchdog", variable, pattern, soft ?? ""])
    if (!child) return
    this.child = child
    this.received = ""
    child.stdin.on("error", () => {})
    child.stdout.on("data", (bytes: Buffer) => this.answered(bytes))
    child.once("exit", () => {
      if (this.child === child) this.child = undefined
      if (!this.closing && this.failures++ < maxFailures) this.start()
    })
    // It must not keep the server alive.
    child.unref()
    for (const stream of [child.stdin, child.stdout]) (stream as { unref?: () => void } | null)?.unref?.()
    for (const group of this.groups) this.send(`+ ${group}\n`)
  }

  private answered(bytes: Buffer) {
    this.failures = 0
    this.received += bytes.toString("latin1")
    const lines = this.received.split("\n")
    this.received = lines.pop()!
    for (const line of lines) this.waiting.get(Number(line))?.()
  }

  private send(line: string) {
    if (this.child?.stdin?.writable) this.child.stdin.write(line)
  }
}

/** Undefined where the shell can't be run; nothing then confirms a group, and no command starts. */
const spawnQuietly = (sh: string, args: ReadonlyArray<string>) => {
  try {
    const child = spawn(sh, args, {
      stdio: ["pipe", "pipe", "ignore"],
      detached: true,
      cwd: "/",
      // Nothing of our environment: it would carry the marks of a server around this one.
      env: { PATH: process.env["PATH"] ?? "/usr/bin:/bin", LC_ALL: "C" }
    })
    child.on("error", () => {})
    return child.pid === undefined ? undefined : child
  } catch {
    return undefined
  }
}
