/** All figures by name, in the order in which they matter. */
import type { Figure } from "./figure.ts"

export const figures: Readonly<Record<string, () => Promise<Figure>>> = {
  wake: async () => (await import("./figure/wake.ts")).wake,
  crowd: async () => (await import("./figure/crowd.ts")).crowd,
  exit: async () => (await import("./figure/exit.ts")).silentExit,
  ledger: async () => (await import("./figure/ledger.ts")).ledger,
  feed: async () => (await import("./figure/feed.ts")).feed,
  replay: async () => (await import("./figure/replay.ts")).replay,
  tui: async () => (await import("./figure/tui.ts")).tui,
  inbox: async () => (await import("./figure/inbox.ts")).admission
}
