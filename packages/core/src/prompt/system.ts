/** What a model is told once, at the head of every request of a session. It never changes within one. */
import { type Guidance, guidanceText } from "./guidance.ts"
import { fill } from "./fill.ts"
import { visiblePath } from "./path.ts"
import text from "./system.txt" with { type: "text" }

export interface Surroundings {
  readonly directory: string
  readonly platform: string
  /** The day the session began. */
  readonly date: string
  /** What commands are run by. */
  readonly shell: string
  /** AGENTS.md files, the one that counts most last. */
  readonly guidance: ReadonlyArray<Guidance>
}

export const systemPrompt = ({ directory, platform, date, shell, guidance }: Surroundings): string => {
  const rules = fill(text, { directory: visiblePath(directory), platform, date, shell })
  // Last, so that all that Vigil itself says stands before what a project says.
  return guidance.length === 0 ? rules : `${rules}\n\n${guidanceText(guidance)}`
}
