/** Which pattern "always" would save for a simple command. Pure. */
import { literal } from "../permission/rule.ts"
import { isPlain } from "./word.ts"

/** How many words say what is done, where that is not one. The longest entry counts. */
const words: Readonly<Record<string, number>> = Object.fromEntries([
  ..."apt apt-get aws az brew bun bundle cargo cmake composer conda dart deno docker dotnet flutter gcloud gh git go gradle helm just kubectl make mix mvn node npm npx nx pip pip3 pnpm podman poetry python python3 rake ruby rustup bunx uvx service swift systemctl terraform turbo uv yarn zig"
    .split(" ")
    .map((name) => [name, 2] as const),
  ...[
    "npm run",
    "npm exec",
    "pnpm run",
    "pnpm exec",
    "pnpm dlx",
    "yarn run",
    "yarn dlx",
    "bun run",
    "bun x",
    "uv run",
    "poetry run",
    "bundle exec",
    "cargo run",
    "deno task",
    "docker compose",
    "docker container",
    "docker image",
    "podman compose",
    "git remote",
    "git stash",
    "git worktree",
    "gh pr",
    "gh run",
    "gh issue",
    "gh repo",
    "gh release",
    "gh workflow",
    "python -m",
    "python3 -m",
    "kubectl config",
    "go tool",
    "aws s3"
  ].map((name) => [name, 3] as const)
])

/** Commands of which one use says nothing about the next: they run, delete or send whatever they are given. */
const single = new Set(
  ". alias at awk bash builtin busybox chmod chown chroot command coproc crontab curl dash dd declare doas enable env eval exec export find flock fish gawk hash ionice kill killall ksh let local mapfile mawk nice nohup parallel perl pkill php printf pushd read readonly rm scp script sed set setsid sh shopt shred source ssh stdbuf strace su sudo systemd-run tee time timeout trap typeset unset watch wget xargs zsh".split(
    " "
  )
)

/**
 * `git status *`, `npm run build *`, `ls *`. The exact text where a word that says what is done is dynamic,
 * an option or missing, and for commands that run others.
 */
export const savedPattern = (shown: ReadonlyArray<string>): string => {
  const whole = literal(shown.join(" "))
  const name = shown[0] ?? ""
  if (single.has(name.slice(name.lastIndexOf("/") + 1))) return whole
  const two = words[shown.slice(0, 2).join(" ")]
  const count = two ?? words[name] ?? 1
  const saying = shown.slice(0, count)
  const known = two === undefined ? 1 : 2
  const clear = saying.every((word, index) => isPlain(word) && (index < known || !word.startsWith("-")))
  return saying.length === count && clear && !name.includes("=") ? `${saying.join(" ")} *` : whole
}
