/** One thing that was looked at: whether it is as it should be, and what mends it. */

export type CheckStatus = "ok" | "warning" | "wrong"

export interface Check {
  readonly name: string
  readonly status: CheckStatus
  readonly text: string
  /** What to do about it. */
  readonly mend?: string
}

export const ok = (name: string, text: string): Check => ({ name, status: "ok", text })

/** Something works less well, or waits for a decision. */
export const warning = (name: string, text: string, mend: string): Check => ({
  name,
  status: "warning",
  text,
  mend
})

/** Something does not work. */
export const wrong = (name: string, text: string, mend: string): Check => ({
  name,
  status: "wrong",
  text,
  mend
})
