/** How turns ended, as people read it. Pure. */
import { cleanText } from "@vigil/core/monitor/lines"
import type { Turn, TurnOutcome } from "@vigil/schema/turn"
import type { Paint } from "./paint.ts"

const outcomes: Readonly<Record<TurnOutcome, string>> = {
  completed: "done",
  interrupted: "interrupted",
  failed: "failed",
  rejected: "rejected",
  server_stopped: "server stopped"
}

export const outcomeText = (outcome: TurnOutcome): string => outcomes[outcome]

/** The last line of a turn; one that was completed, or that goes on, has none. */
export const turnEndText = ({ outcome, error }: Turn, paint: Paint): string | undefined => {
  if (outcome === undefined || outcome === "completed") return undefined
  if (outcome !== "failed") return paint.yellow(outcomeText(outcome))
  const why = error === undefined ? "" : `: ${cleanText(error.trim()).replaceAll("\n", "\n  ")}`
  return paint.red(`✗ failed${why}`)
}
