/** Who is there: requests that are being answered, and feeds that are open. */
import { Deferred, Effect } from "effect"

export interface Attendance {
  readonly present: Effect.Effect<number>
  /** Until nobody is there; at once if so. */
  readonly alone: Effect.Effect<void>
  /** Until the next one comes. */
  readonly arrival: Effect.Effect<void>
  /** Somebody came. What it returns is called when they leave; again changes nothing. */
  enter(): () => void
}

export const makeAttendance = (): Attendance => {
  let present = 0
  let left = Deferred.makeUnsafe<void>()
  let arrived = Deferred.makeUnsafe<void>()

  const leave = () => {
    if (--present > 0) return
    Deferred.doneUnsafe(left, Effect.void)
    left = Deferred.makeUnsafe()
  }

  return {
    present: Effect.sync(() => present),
    alone: Effect.suspend(() => (present === 0 ? Effect.void : Deferred.await(left))),
    arrival: Effect.suspend(() => Deferred.await(arrived)),
    enter: () => {
      present++
      Deferred.doneUnsafe(arrived, Effect.void)
      arrived = Deferred.makeUnsafe()
      let here = true
      return () => {
        if (!here) return
        here = false
        leave()
      }
    }
  }
}
