/** What is drawn of a session: what `sync` of the SDK knows of it, once it was read. */
import type { Snapshot as Synced } from "@vigil/sdk/sync"
import type { SessionInfo } from "@vigil/sdk/wire"

export interface Snapshot extends Synced {
  readonly session: SessionInfo
}
