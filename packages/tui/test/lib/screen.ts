/** The whole UI over a fake server, driven by keys and read from its frames. */
export { depth } from "./colour.ts"
import { render } from "ink-testing-library"
import { createElement } from "react"
import { type Demo, type Effects, makeEffects } from "../../src/effects.ts"
import { makeProgram, type Program } from "../../src/program.ts"
import { Root } from "../../src/view/root.tsx"
import type { Fake } from "./fake.ts"
import { blankState } from "./scene.ts"
import { textOf } from "./frame.tsx"

export interface Screen {
  readonly program: Program
  readonly effects: Effects
  /** As a terminal sends it. */
  readonly press: (...sent: ReadonlyArray<string>) => Promise<void>
  readonly frame: () => string
  /** The first frame that has the text; fails when the test's time is over. */
  readonly shows: (text: string | RegExp) => Promise<string>
  readonly hides: (text: string) => Promise<string>
  readonly copied: ReadonlyArray<string>
  readonly left: () => boolean
  readonly [Symbol.dispose]: () => void
}

export const keys = {
  enter: "\r",
  esc: "\u001b",
  up: "\u001b[A",
  down: "\u001b[B",
  right: "\u001b[C",
  left: "\u001b[D",
  pageUp: "\u001b[5~",
  home: "\u001b[H",
  end: "\u001b[F",
  tab: "\t",
  ctrl: (letter: string) => String.fromCharCode(letter.charCodeAt(0) - 96),
  alt: (letter: string) => `\u001b${letter}`,
  paste: (text: string) => `\u001b[200~${text}\u001b[201~`
}

interface ScreenOptions {
  readonly sessionID?: string | undefined
  readonly demo?: () => Promise<Demo>
}

export const openScreen = (fake: Fake, options: ScreenOptions = {}): Screen => {
  const copied: Array<string> = []
  let isLeft = false
  const program: Program = makeProgram(
    blankState({
      columns: 100,
      rows: 30,
      now: Date.now(),
      theme: "dark",
      hasDemo: options.demo !== undefined
    }),
    (request) => effects.perform(request)
  )
  const effects = makeEffects({
    client: fake.client,
    directory: "/home/ada/loom",
    ...(options.demo && { demo: options.demo }),
    state: program.state,
    dispatch: program.dispatch,
    copy: (text) => void copied.push(text),
    redraw: () => {},
    suspend: () => {},
    leave: () => (isLeft = true)
  })
  const ui = render(createElement(Root, { program }))
  const sessionID = "sessionID" in options ? options.sessionID : fake.has.session.id
  if (sessionID !== undefined) effects.open(sessionID)
  effects.perform({ type: "listModels", remote: false })

  const frame = () => textOf(ui.lastFrame() ?? "")
  const until = async (holds: (frame: string) => boolean, what: string): Promise<string> => {
    let next = Promise.withResolvers<void>()
    const end = program.subscribe(() => next.resolve())
    const deadline = Date.now() + 15_000
    try {
      for (;;) {
        // Ink draws behind the change, within a frame's time.
        await Promise.race([next.promise, new Promise((resolve) => setTimeout(resolve, 20))])
        if (holds(frame())) return frame()
        if (Date.now() > deadline) throw new Error(`${what} in:\n${frame()}`)
        next = Promise.withResolvers<void>()
      }
    } finally {
      end()
    }
  }

  return {
    program,
    effects,
    press: async (...sent) => {
      for (const one of sent) {
        ui.stdin.write(one)
        // A lone Esc is told from the start of a sequence by what does not follow.
        await new Promise((resolve) => setTimeout(resolve, one === keys.esc ? 60 : 1))
      }
    },
    frame,
    shows: (text) =>
      until(
        (frame) => (typeof text === "string" ? frame.includes(text) : text.test(frame)),
        `No ${String(text)}`
      ),
    hides: (text) => until((frame) => !frame.includes(text), `Still ${text}`),
    copied,
    left: () => isLeft,
    [Symbol.dispose]: () => {
      ui.unmount()
      effects.close()
      program.close()
    }
  }
}
