/**
 * The model of the demo: it watches a CI run.
 *
 * It has no fixed answers. What it does next follows from what stands in the conversation: it finds the events
 * it was woken by, takes the log's name from the one that tells of a failure, and reports what that log said.
 */
import type { Conversation } from "./conversation.ts"
import { call, type Reply, say, type Script } from "./script.ts"

/** Prints a line when a shard ends, and exits as the run does. */
const watcher = `#!/bin/sh
# A line when a shard of the run ends; the exit code is the run's.
seen=
while :; do
  for result in ci/shard-*.result; do
    [ -e "$result" ] || continue
    case " $seen " in *" $result "*) continue ;; esac
    seen="$seen $result"
    shard=$(basename "$result" .result)
    case $(cat "$result") in
      success) echo "$shard: success" ;;
      *) echo "$shard: failure, log: ci/$shard.log" ;;
    esac
  done
  if [ -e ci/run.result ]; then
    [ "$(cat ci/run.result)" = success ]
    exit
  fi
  sleep 0.1
done
`

export const demoScript: Script = (conversation) => {
  const refused = conversation.calls().find(({ result }) => result?.failed)
  if (refused) return say(`I can't go on: ${refused.name} failed. ${refused.result?.text ?? ""}`)
  if (!conversation.called("write")) {
    return [
      say("I'll write a watcher that speaks only when something changes."),
      call("write", { path: "ci-watch.sh", content: watcher })
    ]
  }
  if (!conversation.called("monitor")) {
    return call("monitor", { command: "sh ci-watch.sh", description: "CI run 42", timeoutMs: 600_000 })
  }
  return react(conversation)
}

const react = (conversation: Conversation): Reply => {
  const heard = events(conversation)
  const unread = heard
    .flatMap((event) => /failure, log: (\S+)/u.exec(event)?.[1] ?? [])
    .find((log) => !conversation.calls("read").some(({ input }) => pathOf(input) === log))
  if (unread !== undefined) {
    return [say(`${shardOf(unread)} failed. I read its log.`), call("read", { path: unread })]
  }
  const exit = heard.map((event) => /exited with code (\d+)/u.exec(event)?.[1]).find(Boolean)
  if (exit !== undefined) return say(summary(conversation, heard, exit))
  const newest = events({ turns: conversation.turns.slice(-1) }).at(-1)
  if (newest !== undefined && newest.includes("success")) {
    return say(`${newest.split(":")[0]} passed. The run goes on, and so do I when it has news.`)
  }
  const failure = failures(conversation).at(-1)
  if (failure !== undefined) return say(`The reason: ${failure}. I wait for the run's end.`)
  return say("I watch the run now, and end my turn. What it prints will wake me.")
}

const summary = (conversation: Conversation, heard: ReadonlyArray<string>, exit: string) => {
  const shards = (how: string) =>
    heard.flatMap((event) => (event.includes(`: ${how}`) ? [event.split(":")[0] ?? ""] : []))
  return [
    `CI run 42 is over, with exit code ${exit}.`,
    `Passed: ${shards("success").join(", ") || "nothing"}. Failed: ${shards("failure").join(", ") || "nothing"}.`,
    ...failures(conversation).map((failure) => `Why: ${failure}.`)
  ].join("\n")
}

/** What the logs that were read say went wrong: the failing test and what it found. */
const failures = (conversation: Conversation) =>
  conversation.results("read").flatMap((log) => {
    const [, test, found] = /FAIL\s+(.+)\n\s*\d*\s*(.+)/u.exec(log) ?? []
    return test === undefined ? [] : [`"${test.trim()}" ${found?.trim() ?? ""}`.trim()]
  })

/** The lines of every event, in order, without their labels. */
const events = ({ turns }: Pick<Conversation, "turns">): ReadonlyArray<string> =>
  turns
    .flatMap((turn) => (turn.role === "user" ? turn.blocks : []))
    .flatMap((block) => (block.type === "text" ? [...block.text.matchAll(labelled)] : []))
    .flatMap(([, text = ""]) => text.split("\n").map((line) => line.trim()))

/** An event is its label's line and the indented ones under it. */
const labelled = /^\[background event from monitor '[^']*' — not a user message\]: (.*(?:\n {2}.*)*)/gmu

const shardOf = (log: string) =>
  log
    .split("/")
    .at(-1)
    ?.replace(/\.log$/u, "") ?? log

const pathOf = (input: unknown) =>
  typeof input === "object" && input !== null && "path" in input ? input.path : undefined
