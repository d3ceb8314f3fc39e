/** What a session looks like to the UI, and how it is followed. `sync` of the SDK gives this. */
import type {
  Ask,
  Input,
  MessageWithParts,
  Monitor,
  SessionInfo,
  Shell,
  Turn
} from "@vigil/sdk/gen/types.gen"

export type Connection = "connecting" | "live" | "lost"

/** What did not change since the snapshot before keeps its identity. */
export interface Snapshot {
  readonly session: SessionInfo
  /** In order; the newest of them, as many as are loaded. */
  readonly messages: ReadonlyArray<MessageWithParts>
  readonly hasOlder: boolean
  /** In order. */
  readonly turns: ReadonlyArray<Turn>
  /** Newest first, as shells are. */
  readonly monitors: ReadonlyArray<Monitor>
  readonly shells: ReadonlyArray<Shell>
  /** Oldest first. */
  readonly asks: ReadonlyArray<Ask>
  readonly inbox: ReadonlyArray<Input>
  readonly connection: Connection
  /** The session was deleted, here or elsewhere. */
  readonly deleted: boolean
}

export interface SessionStore {
  readonly snapshot: () => Snapshot | undefined
  /** Told once for each change. Returns what ends it. */
  readonly subscribe: (listener: () => void) => () => void
  /** Loads messages in front of the oldest one. */
  readonly older: () => Promise<void>
  readonly close: () => void
}
