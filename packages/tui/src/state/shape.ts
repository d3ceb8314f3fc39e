/** What the UI knows. Everything that is drawn comes from here, and only the reducer makes a new one. */
import type { ModelList, SessionInfo } from "@vigil/sdk/wire"
import type { Bindings, CommandId } from "../keys.ts"
import type { Snapshot as Synced } from "@vigil/sdk/sync"
import type { Snapshot } from "../store.ts"
import type { ThemeName } from "../theme.ts"
import type { Output, Page } from "./output.ts"

/** Text that is being typed. `cursor` is an index between two graphemes. */
export interface Typed {
  readonly text: string
  readonly cursor: number
}

export interface Composer extends Typed {
  /** What each chip in the text stands for, by its character. */
  readonly pastes: Readonly<Record<string, string>>
  /** Chips made so far: no two are the same character, whatever is sent and given back. */
  readonly chips: number
  /** How far back in history; 0 is the draft. */
  readonly back: number
  /** The draft, while history is looked through. */
  readonly kept: string
  /** Prompts sent from here that the session may not have yet. */
  readonly sent: ReadonlyArray<string>
}

/** The row at the top of the screen while reading; the end is followed without one. */
export interface Anchor {
  readonly block: string
  readonly row: number
  /** The newest block when reading began: what is newer is told. */
  readonly newest: string
}

export type AskChoice = "once" | "always" | "reject"

export interface AskState {
  readonly choice: AskChoice
  /** Set by hand; else an ask has the focus while nothing is typed. */
  readonly focused: boolean | undefined
  /** Typed after "reject". */
  readonly reason: Typed | undefined
  /** First row of the command that is seen. */
  readonly top: number
  /** Answered here; the server has not told it yet. */
  readonly answering: Readonly<Record<string, true>>
}

/** Of the task under that id: asked for, and not told yet; or what went wrong. */
export type Stop = { readonly type: "stopping" } | { readonly type: "failed"; readonly why: string }

export type Loaded<A> =
  | { readonly type: "loading" }
  | { readonly type: "loaded"; readonly value: A }
  | { readonly type: "failed"; readonly why: string }

export interface Filter {
  readonly filter: Typed
  readonly index: number
}

/** What yes does. */
export type Question =
  | { readonly type: "stop"; readonly id: string }
  | { readonly type: "stopAll" }
  | { readonly type: "delete" }

export type Overlay =
  | { readonly type: "tasks" }
  | { readonly type: "output"; readonly output: Output }
  | ({ readonly type: "palette" } & Filter)
  | ({ readonly type: "sessions"; readonly list: Loaded<ReadonlyArray<SessionInfo>> } & Filter)
  | ({ readonly type: "models" } & Filter)
  | { readonly type: "help"; readonly top: number }
  | { readonly type: "confirm"; readonly question: Question }

export interface Notice {
  readonly text: string
  readonly tone: "quiet" | "good" | "bad"
}

/** What is to be done outside: the reducer asks, `effects.ts` does it and tells what came of it. */
export type Request =
  | {
      readonly type: "prompt"
      readonly text: string
      readonly draft: Composer
      readonly delivery: "steer" | "queue"
    }
  | { readonly type: "interrupt" }
  | { readonly type: "withdraw"; readonly inputID: string }
  | { readonly type: "reply"; readonly askID: string; readonly reply: AskChoice; readonly reason?: string }
  | { readonly type: "stop"; readonly id: string }
  | { readonly type: "stopAll" }
  | { readonly type: "background"; readonly shellID: string }
  | { readonly type: "openSession"; readonly sessionID: string }
  | { readonly type: "closeSession" }
  | { readonly type: "deleteSession" }
  | { readonly type: "listSessions" }
  | { readonly type: "listModels"; readonly remote: boolean }
  | { readonly type: "useModel"; readonly model: string }
  | { readonly type: "older" }
  | { readonly type: "page"; readonly id: string; readonly cursor?: number; readonly limit: number }
  | { readonly type: "copy"; readonly text: string }
  | { readonly type: "demo" }
  | { readonly type: "redraw" }
  | { readonly type: "suspend" }
  | { readonly type: "leave" }

export interface State {
  readonly screen: { readonly columns: number; readonly rows: number }
  /** Epoch milliseconds of the last action. */
  readonly now: number
  readonly directory: string
  readonly bindings: Bindings
  /** None before the first prompt of a new session. */
  readonly session: Snapshot | undefined
  /** A session was named and its first snapshot is not there yet. */
  readonly opening: boolean
  readonly overlays: ReadonlyArray<Overlay>
  readonly composer: Composer
  /** Prompts on their way: the server has not said that it has them. */
  readonly sending: ReadonlyArray<string>
  readonly reading: Anchor | undefined
  readonly ask: AskState
  /** The task under this id is selected; the first one otherwise. */
  readonly task: string | undefined
  readonly stops: Readonly<Record<string, Stop>>
  readonly models: Loaded<ModelList>
  /** Chosen for sessions to come. */
  readonly model: string | undefined
  /** Given from the palette, newest first. */
  readonly recent: ReadonlyArray<CommandId>
  readonly details: boolean
  readonly theme: ThemeName
  readonly background: "dark" | "light" | undefined
  readonly hasColours: boolean
  readonly hasDemo: boolean
  readonly notice: Notice | undefined
  /** Ctrl-C was pressed with nothing left to cancel: once more leaves. */
  readonly leaving: boolean
  readonly requests: ReadonlyArray<Request>
}

export type Action =
  | { readonly type: "command"; readonly id: CommandId }
  | { readonly type: "typed"; readonly text: string }
  | { readonly type: "pasted"; readonly text: string }
  | { readonly type: "resized"; readonly columns: number; readonly rows: number }
  | { readonly type: "ticked" }
  | { readonly type: "synced"; readonly snapshot: Synced }
  | { readonly type: "opening" }
  | { readonly type: "left" }
  | { readonly type: "prompted"; readonly text: string }
  | { readonly type: "promptFailed"; readonly draft: Composer; readonly why: string }
  | { readonly type: "withdrawn"; readonly text: string }
  | { readonly type: "replied"; readonly askID: string; readonly why?: string }
  | { readonly type: "stopped"; readonly id: string; readonly why?: string }
  | { readonly type: "sessionsListed"; readonly list: Loaded<ReadonlyArray<SessionInfo>> }
  | { readonly type: "modelsListed"; readonly models: Loaded<ModelList> }
  | { readonly type: "modelUsed"; readonly model: string }
  | { readonly type: "paged"; readonly id: string; readonly cursor?: number; readonly page: Page }
  | { readonly type: "pageFailed"; readonly id: string; readonly why: string }
  | { readonly type: "noticed"; readonly notice: Notice }
  | { readonly type: "background"; readonly background: "dark" | "light" }

export const emptyTyped: Typed = { text: "", cursor: 0 }

export const emptyComposer: Composer = { ...emptyTyped, pastes: {}, chips: 0, back: 0, kept: "", sent: [] }

export const restingAsk: AskState = {
  choice: "once",
  focused: undefined,
  reason: undefined,
  top: 0,
  answering: {}
}

export const request = (state: State, ...requests: ReadonlyArray<Request>): State => ({
  ...state,
  requests: [...state.requests, ...requests]
})

export const noticed = (state: State, text: string, tone: Notice["tone"] = "quiet"): State => ({
  ...state,
  notice: { text, tone }
})
