/** Whether the owner that announced itself is the one that answers. */
import type { Announcement } from "@vigil/server/owner/announcement"
import { Health } from "@vigil/schema/server"
import { Effect, Option, Schema } from "effect"

/** One that is busy still answers in time; one that is stopped never does. */
const patienceMs = 2_000

const decode = Schema.decodeUnknownOption(Health)

/** The token is not sent: whoever listens there may be somebody else. */
export const answersAs = ({ url, startedAt }: Announcement): Effect.Effect<boolean> =>
  Effect.tryPromise((signal) =>
    fetch(`${url}/api/health`, {
      redirect: "error",
      signal: AbortSignal.any([signal, AbortSignal.timeout(patienceMs)])
    }).then((response) => (response.ok ? response.json() : undefined))
  ).pipe(
    Effect.map((body) => Option.exists(decode(body), (health) => health.startedAt === startedAt)),
    Effect.orElseSucceed(() => false)
  )
