import { describe, expect, test } from "bun:test"
import { json, makeFake, refusal } from "./lib/fake.ts"
import { ask, assistant, ended, monitor, session, shell, text, user } from "./lib/scene.ts"
import { keys, openScreen } from "./lib/screen.ts"

const base = `/session/${session().id}`

describe("a session on the screen", () => {
  test("is read, and follows what happens while a draft is kept", async () => {
    const fake = makeFake({ messages: [user("Watch it.")], monitors: [monitor()] })
    using screen = openScreen(fake)
    await screen.shows("❯ Watch it.")
    await screen.press("half a thought")
    fake.publish({ type: "message.created", data: { message: user("Another terminal's").message } })
    const frame = await screen.shows("Another terminal's")
    expect(frame).toContain("❯ half a thought")
    expect(frame).toContain("1 monitor")
  })

  test("is right again after the connection was lost", async () => {
    const fake = makeFake({ messages: [user("Watch it.")], monitors: [monitor()] })
    using screen = openScreen(fake)
    await screen.shows("1 monitor")
    fake.isDown = true
    fake.dropFeeds()
    await screen.shows("connection lost, trying again")
    fake.isDown = false
    fake.publish({ type: "monitor.ended", data: { monitor: ended("server_restarted") } })
    await screen.hides("connection lost")
  })

  test("streams", async () => {
    const fake = makeFake({ messages: [user("Say it.")] })
    using screen = openScreen(fake)
    await screen.shows("Say it.")
    const said = assistant()
    const part = { ...text(""), messageID: said.message.id }
    fake.publish({ type: "message.created", data: { message: { ...said.message, status: "streaming" } } })
    fake.publish({ type: "part.created", data: { part: { ...part, text: "Once upon" } } })
    await screen.shows("Once upon")
    fake.publish({ type: "part.completed", data: { part: { ...part, text: "Once upon a time." } } })
    await screen.shows("Once upon a time.")
  })
})

describe("a prompt", () => {
  test("makes the session, and is sent under an id of its own", async () => {
    const fake = makeFake()
    using screen = openScreen(fake, { sessionID: undefined })
    await screen.shows("New session")
    await screen.press("Watch CI", keys.enter)
    await screen.shows("Watch the build")
    const prompts = fake.asked.filter(({ path }) => path.endsWith("/prompt"))
    expect(prompts.map(({ body }) => body)).toMatchObject([
      { text: "Watch CI", delivery: "steer", id: expect.stringMatching(/^inp_[a-z0-9]{1,40}$/u) }
    ])
    expect(fake.asked.find(({ method, path }) => method === "POST" && path === "/api/session")?.body).toEqual(
      {
        directory: "/home/ada/loom"
      }
    )
  })

  test("that is refused is typed again", async () => {
    const fake = makeFake()
    fake.answers.set(`POST ${base}/prompt`, () => refusal("BadRequest", "text: too long", 400))
    using screen = openScreen(fake)
    await screen.shows("Watch the build")
    await screen.press("Watch CI", keys.enter)
    const frame = await screen.shows("text: too long")
    expect(frame).toContain("❯ Watch CI")
  })

  test("of 10,000 pasted lines is sent whole", async () => {
    const fake = makeFake()
    using screen = openScreen(fake)
    await screen.shows("Watch the build")
    const long = Array.from({ length: 10_000 }, (_, line) => `line ${line}`).join("\n")
    await screen.press(keys.paste(long))
    await screen.shows("[10,000 lines pasted]")
    await screen.press(keys.enter)
    await screen.hides("lines pasted")
    expect(fake.asked.find(({ path }) => path.endsWith("/prompt"))?.body).toMatchObject({ text: long })
  })
})

describe("an ask", () => {
  test("is answered from the keyboard", async () => {
    const fake = makeFake({ asks: [ask()] })
    fake.answers.set("POST /permission/ask_1/reply", () => json({ askID: "ask_1", answer: "always" }))
    using screen = openScreen(fake)
    await screen.shows("npm run build")
    await screen.press(keys.right)
    await screen.shows("from now on: shell npm run *")
    await screen.press(keys.enter)
    await screen.hides("npm run build")
    expect(fake.asked.find(({ path }) => path.endsWith("/reply"))?.body).toEqual({ reply: "always" })
  })
})

describe("tasks", () => {
  test("are opened, looked at, stopped and tried again by keys alone", async () => {
    const fake = makeFake({ monitors: [monitor()], shells: [shell()] })
    let tries = 0
    fake.answers.set(`POST ${base}/monitor/mon_7k2/stop`, () => {
      tries += 1
      return tries === 1 ? refusal("ServerFault", "It broke", 500) : json(ended("cancelled"))
    })
    fake.answers.set(`GET ${base}/monitor/mon_7k2/output`, () =>
      json({
        output: "one\n\u001b[31mtwo\u001b[0m\n",
        cursor: 17,
        start: 0,
        size: 17,
        truncated: false,
        ended: false
      })
    )
    using screen = openScreen(fake)
    await screen.shows("1 monitor")
    await screen.press(keys.down)
    await screen.shows("Background tasks")
    await screen.press(keys.enter)
    expect(await screen.shows("Following")).toContain("two")
    await screen.press("x")
    await screen.shows("Stop CI run 42?")
    await screen.press("y", keys.esc)
    await screen.shows("Not stopped: It broke")
    await screen.press("x", "y")
    await screen.shows("stopping…")
    fake.publish({ type: "monitor.ended", data: { monitor: ended("cancelled") } })
    await screen.shows(/■ CI run 42 .* stopped/u)
    await screen.press(keys.esc)
    await screen.shows("Reply, or ask")
  })
})

describe("the palette", () => {
  test("finds commands, and gives those that were given lately first", async () => {
    const fake = makeFake()
    using screen = openScreen(fake)
    await screen.shows("Watch the build")
    await screen.press(keys.ctrl("p"), "copyid", keys.enter)
    await screen.shows("Copied: ses_")
    expect(screen.copied).toEqual([session().id])
    await screen.press(keys.ctrl("p"))
    expect(await screen.shows("Commands")).toContain("❯ Copy the session's id")
  })

  test("switches models, also to one that no list has", async () => {
    const fake = makeFake()
    fake.answers.set(`PATCH ${base}`, () => json(session()))
    using screen = openScreen(fake)
    await screen.shows("Watch the build")
    await screen.press(keys.alt("m"))
    await screen.shows("claude-opus-4-5")
    await screen.press("local/mine")
    await screen.shows("as typed")
    await screen.press(keys.enter)
    await screen.shows("Model: local/mine")
    expect(fake.asked.find(({ method }) => method === "PATCH")?.body).toEqual({ model: "local/mine" })
  })
})

describe("the demo", () => {
  test("is offered where no model can be asked, and answers from then on", async () => {
    const fake = makeFake()
    fake.answers.set("GET /model", () =>
      json({
        providers: [
          { provider: "anthropic", usable: false, default: false, missing: "set ANTHROPIC_API_KEY" }
        ]
      })
    )
    const demo = makeFake()
    using screen = openScreen(fake, {
      sessionID: undefined,
      demo: () => Promise.resolve({ client: demo.client, model: "demo/model", hint: "Type anything" })
    })
    expect(await screen.shows("set ANTHROPIC_API_KEY")).toContain("Try the demo model")
    await screen.press(keys.ctrl("p"), "demo", keys.enter)
    await screen.shows("Type anything")
    await screen.press("go", keys.enter)
    await screen.shows("Watch the build")
    expect(
      demo.asked.find(({ method, path }) => method === "POST" && path === "/api/session")?.body
    ).toMatchObject({
      model: "demo/model"
    })
  })
})

describe("leaving", () => {
  test("takes Ctrl-C twice", async () => {
    const fake = makeFake()
    using screen = openScreen(fake)
    await screen.shows("Watch the build")
    await screen.press(keys.ctrl("c"))
    await screen.shows("Ctrl-C again to leave")
    expect(screen.left()).toBe(false)
    await screen.press(keys.ctrl("c"))
    await screen.hides("Ctrl-C again to leave")
    expect(screen.left()).toBe(true)
  })
})
