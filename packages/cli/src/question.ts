/** Questions to whoever sits at the terminal, if anybody does. */
import { Effect, Redacted } from "effect"
import { Prompt } from "effect/cli"
import { Failed } from "./failed.ts"
import { exitCodes } from "./signals.ts"

/** Both what is asked and the answer go to a person. */
export const somebodyThere = Effect.sync(() => process.stdin.isTTY && process.stdout.isTTY)

/** No, unless yes is said. */
export const confirm = (message: string) =>
  answered(Prompt.Confirm({ message, initial: false, label: { confirm: "y", deny: "N" } }))

/** What is typed is not shown. */
export const secret = (message: string) =>
  Effect.map(answered(Prompt.Hidden({ message })), (answer) => Redacted.value(answer))

const answered = <A>(prompt: Prompt.Prompt<A>) =>
  Effect.mapError(Prompt.run(prompt), () => new Failed({ code: exitCodes.interrupted }))
