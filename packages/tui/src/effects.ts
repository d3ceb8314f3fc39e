/** What the state asks for, done through the SDK; what comes of it is told as actions. */
import { type Client, Unreachable } from "@vigil/sdk/client"
import { type SessionStore, sync } from "@vigil/sdk/sync"
import type { ModelList, SessionInfo } from "@vigil/sdk/wire"
import { got, Refused, sentenceOf } from "./answer.ts"
import type { Action, Request, State } from "./state/shape.ts"
import { taskOf } from "./state/tasks.ts"

/** Where the demo is: a server of its own, or this one with another model. */
export interface Demo {
  readonly client?: Client
  readonly model: string
  readonly directory?: string
  /** What may be typed first. */
  readonly hint?: string
}

/** What is done to the terminal and the process. */
export interface Outside {
  readonly copy: (text: string) => void
  readonly redraw: () => void
  readonly suspend: () => void
  readonly leave: () => void
}

export interface EffectsOptions extends Outside {
  readonly client: Client
  readonly directory: string
  /** Of the terminal that the session is started from: its commands run with it. */
  readonly environment?: Readonly<Record<string, string>>
  readonly demo?: () => Promise<Demo>
  readonly state: () => State
  readonly dispatch: (action: Action) => void
}

export interface Effects {
  readonly perform: (request: Request) => void
  readonly open: (sessionID: string) => void
  readonly close: () => void
}

/** Changes of one feed may come by the hundred in a second; a screen shows fewer. */
const drawMs = 8
/** A prompt is sent again under its id while a server restarts, so that it is taken once. */
const promptTries = 6
const promptRetryMs = 1_500
const sessionsListed = 200

export const makeEffects = (options: EffectsOptions): Effects => {
  const { dispatch, state, demo, environment } = options
  let { client, directory } = options
  let store: SessionStore | undefined
  let drawing: ReturnType<typeof setTimeout> | undefined
  let isClosed = false

  const fail = (error: unknown) =>
    dispatch({ type: "noticed", notice: { text: sentenceOf(error), tone: "bad" } })

  /** Runs on its own; what goes wrong is told. */
  const attempt = (work: () => Promise<void>, otherwise: (why: string) => void = fail) => {
    work().catch((error: unknown) => {
      if (!isClosed) otherwise(sentenceOf(error))
    })
  }

  const leaveSession = () => {
    clearTimeout(drawing)
    drawing = undefined
    store?.close()
    store = undefined
  }

  const open = (sessionID: string) => {
    leaveSession()
    dispatch({ type: "opening" })
    const opened = sync(client, sessionID)
    store = opened
    opened.subscribe(() => {
      drawing ??= setTimeout(() => {
        drawing = undefined
        if (store === opened) dispatch({ type: "synced", snapshot: opened.snapshot() })
      }, drawMs)
    })
  }

  const sessionID = (): string | undefined => store && state().session?.session.id

  /** The session that is open; one is made for the first prompt. */
  const session = async (): Promise<string> => {
    const known = sessionID()
    if (known !== undefined) return known
    const { model } = state()
    const made = await got(
      client.session.create({
        body: {
          directory,
          ...(model === undefined ? {} : { model }),
          ...(environment === undefined ? {} : { environment: { ...environment } })
        }
      })
    )
    open(made.id)
    return made.id
  }

  const prompt = async ({ text, delivery }: Extract<Request, { type: "prompt" }>) => {
    const id = `inp_${crypto.randomUUID().replaceAll("-", "")}`
    const path = { sessionID: await session() }
    for (let tries = 1; ; tries++) {
      const { error } = await client.session.prompt({ path, body: { id, text, delivery } })
      if (error === undefined) return
      if (!(error instanceof Unreachable) || tries >= promptTries || isClosed)
        throw new Refused(sentenceOf(error))
      await Bun.sleep(promptRetryMs)
    }
  }

  const stop = async (id: string) => {
    const task = taskOf(state(), id)
    const own = sessionID()
    if (task === undefined || own === undefined) throw new Refused("It is not there any more")
    await got<unknown>(
      task.type === "monitor"
        ? client.monitor.stop({ path: { sessionID: own, monitorID: id } })
        : client.shell.stop({ path: { sessionID: own, shellID: id } })
    )
  }

  const page = async ({ id, cursor, limit }: Extract<Request, { type: "page" }>) => {
    const own = sessionID()
    if (own === undefined) return
    const query = { limit, ...(cursor === undefined ? {} : { cursor }) }
    const read = await got(
      id.startsWith("mon_")
        ? client.monitor.output({ path: { sessionID: own, monitorID: id }, query })
        : client.shell.output({ path: { sessionID: own, shellID: id }, query })
    )
    dispatch({ type: "paged", id, ...(cursor === undefined ? {} : { cursor }), page: read })
  }

  const listModels = async (remote: boolean) => {
    const read = (query: { directory: string; remote?: boolean }) =>
      got<ModelList>(client.model.list({ query }))
    // What is known at once, then what providers say, which takes its time.
    dispatch({ type: "modelsListed", models: { type: "loaded", value: await read({ directory }) } })
    if (remote) {
      dispatch({
        type: "modelsListed",
        models: { type: "loaded", value: await read({ directory, remote: true }) }
      })
    }
  }

  const listSessions = async () => {
    const { items } = await got(client.session.list({ query: { limit: sessionsListed } }))
    const value: ReadonlyArray<SessionInfo> = items
    dispatch({ type: "sessionsListed", list: { type: "loaded", value } })
  }

  const useModel = async (model: string) => {
    const own = sessionID()
    if (own !== undefined) await got(client.session.update({ path: { sessionID: own }, body: { model } }))
    dispatch({ type: "modelUsed", model })
  }

  const startDemo = async () => {
    if (demo === undefined) return
    const started = await demo()
    leaveSession()
    client = started.client ?? client
    directory = started.directory ?? directory
    dispatch({ type: "left" })
    dispatch({ type: "modelUsed", model: started.model })
    await listModels(false)
    const text = started.hint === undefined ? "The demo model answers" : started.hint
    dispatch({ type: "noticed", notice: { text, tone: "good" } })
  }

  const perform = (request: Request): void => {
    switch (request.type) {
      case "prompt":
        return attempt(
          async () => {
            await prompt(request)
            dispatch({ type: "prompted", text: request.text })
          },
          (why) => dispatch({ type: "promptFailed", draft: request.draft, why })
        )
      case "interrupt":
        return attempt(async () => {
          const own = sessionID()
          if (own !== undefined) await got(client.session.interrupt({ path: { sessionID: own } }))
        })
      case "withdraw":
        return attempt(async () => {
          const own = sessionID()
          if (own === undefined) return
          const { payload } = await got(
            client.inbox.withdraw({ path: { sessionID: own, inputID: request.inputID } })
          )
          if (payload.type === "prompt") dispatch({ type: "withdrawn", text: payload.text })
        })
      case "reply": {
        const { askID, reply, reason } = request
        return attempt(
          async () => {
            await got(
              client.permission.reply({
                path: { askID },
                body: { reply, ...(reason === undefined ? {} : { reason }) }
              })
            )
            dispatch({ type: "replied", askID })
          },
          (why) => dispatch({ type: "replied", askID, why })
        )
      }
      case "stop":
        return attempt(
          async () => {
            await stop(request.id)
            dispatch({ type: "stopped", id: request.id })
          },
          (why) => dispatch({ type: "stopped", id: request.id, why })
        )
      case "stopAll":
        return attempt(async () => {
          const own = sessionID()
          if (own === undefined) return
          const { items } = await got(client.monitor.stopAll({ path: { sessionID: own } }))
          const text = items.length === 1 ? "1 monitor was stopped" : `${items.length} monitors were stopped`
          dispatch({ type: "noticed", notice: { text, tone: "good" } })
        })
      case "background":
        return attempt(async () => {
          const own = sessionID()
          if (own === undefined) return
          await got(client.shell.background({ path: { sessionID: own, shellID: request.shellID } }))
          dispatch({ type: "noticed", notice: { text: "It goes on in the background", tone: "good" } })
        })
      case "openSession":
        return open(request.sessionID)
      case "closeSession":
        leaveSession()
        return dispatch({ type: "left" })
      case "deleteSession":
        return attempt(async () => {
          const own = sessionID()
          if (own === undefined) return
          await got(client.session.remove({ path: { sessionID: own } }))
          leaveSession()
          dispatch({ type: "left" })
          dispatch({ type: "noticed", notice: { text: "The session was deleted", tone: "good" } })
        })
      case "listSessions":
        return attempt(listSessions, (why) =>
          dispatch({ type: "sessionsListed", list: { type: "failed", why } })
        )
      case "listModels":
        return attempt(
          () => listModels(request.remote),
          (why) => dispatch({ type: "modelsListed", models: { type: "failed", why } })
        )
      case "useModel":
        return attempt(() => useModel(request.model))
      case "older":
        return attempt(async () => void (await store?.older()))
      case "page":
        return attempt(
          () => page(request),
          (why) => dispatch({ type: "pageFailed", id: request.id, why })
        )
      case "copy":
        return options.copy(request.text)
      case "demo":
        return attempt(startDemo)
      case "redraw":
        return options.redraw()
      case "suspend":
        return options.suspend()
      case "leave":
        return options.leave()
    }
  }

  return {
    perform,
    open,
    close: () => {
      isClosed = true
      leaveSession()
    }
  }
}
