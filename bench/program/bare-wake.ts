/**
 * The least that wakes a model: spawn a command, read, wait, one HTTP request.
 *
 *   bun bare-wake.ts <model's url> <key> <ms to wait> <command>            for each line
 *   bun bare-wake.ts <model's url> <key> exit <file of commands and texts> for each command's exit
 */
import process from "node:process"

const [url = "", key = "", mode = "", command = ""] = process.argv.slice(2)

const ask = async (text: string): Promise<void> => {
  const answer = await fetch(`${url}/v1/messages`, {
    method: "POST",
    headers: { "content-type": "application/json", "x-api-key": key, "anthropic-version": "2023-06-01" },
    body: JSON.stringify({
      model: "scripted",
      max_tokens: 64,
      stream: true,
      messages: [{ role: "user", content: text }]
    })
  })
  await answer.text()
}

const bash = (command: string) =>
  Bun.spawn(["bash", "-c", command], { stdio: ["ignore", "pipe", "ignore"], detached: true })

const eachLine = async (waitMs: number): Promise<void> => {
  const decoder = new TextDecoder()
  for await (const bytes of bash(command).stdout) {
    if (waitMs > 0) await Bun.sleep(waitMs)
    await ask(decoder.decode(bytes))
  }
}

/** Commands come on stdin, `mark command` on a line each. */
const eachExit = async (): Promise<void> => {
  for await (const line of console) {
    const space = line.indexOf(" ")
    const child = bash(line.slice(space + 1))
    console.log("started")
    const [text] = await Promise.all([new Response(child.stdout).text(), child.exited])
    await ask(`${text}@${line.slice(0, space)};`)
  }
}

await (mode === "exit" ? eachExit() : eachLine(Number(mode)))
