/** What a figure is: something measured, against a reference of the same run. */
import { median } from "./sample.ts"

export interface Measured {
  readonly name: string
  /** The median of its runs. */
  readonly value: number
  readonly unit: string
  /** Of the same run, in the same unit. */
  readonly reference: number
  readonly ratio: number
  readonly target: string
  /** Absent where the figure is there to be looked at. */
  readonly met?: boolean
  readonly runs: number
  /** What a reader must know to judge it, such as limits that were raised. */
  readonly note?: string
}

/** A bound of `value` (`atMost`), of `ratio` (`times`), or of what `value` is above `reference` (`more`). */
export type Target =
  | { readonly times: number }
  | { readonly more: number }
  | { readonly atMost: number }
  | { readonly exactly: number }

export interface Sampled {
  readonly name: string
  readonly unit: string
  readonly values: ReadonlyArray<number>
  readonly references: ReadonlyArray<number>
  readonly target?: Target
  readonly note?: string
  /** In place of the median. */
  readonly of?: (values: ReadonlyArray<number>) => number
}

export interface Context {
  /** Whole lengths rather than shorter ones. */
  readonly full: boolean
  readonly tell: (measured: Measured) => void
}

/** Measures, and tells each of its figures as soon as it is known. */
export type Figure = (context: Context) => Promise<void>

const wording = (target: Target | undefined, unit: string): string => {
  if (target === undefined) return ""
  if ("times" in target) return `≤ ${target.times} ×`
  if ("more" in target) return `≤ ${target.more} ${unit} more`
  return "atMost" in target ? `≤ ${target.atMost} ${unit}` : `= ${target.exactly} ${unit}`
}

const holds = (target: Target, value: number, reference: number): boolean => {
  if ("times" in target) return value <= target.times * reference
  if ("more" in target) return value - reference <= target.more
  return "atMost" in target ? value <= target.atMost : value === target.exactly
}

export const measured = (sampled: Sampled): Measured => {
  const { name, unit, values, references, target, note, of = median } = sampled
  const value = of(values)
  const reference = of(references)
  return {
    name,
    value: rounded(value),
    unit,
    reference: rounded(reference),
    ratio: rounded(value / reference),
    target: wording(target, unit),
    ...(target && { met: holds(target, value, reference) }),
    runs: values.length,
    ...(note !== undefined && { note })
  }
}

/** To what is worth reading. */
const rounded = (value: number): number =>
  Number.isFinite(value) && Math.abs(value) < 1_000 ? Number(value.toPrecision(4)) : Math.round(value)
