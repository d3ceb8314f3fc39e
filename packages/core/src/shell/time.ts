/** Real time: while something is being killed, no virtual clock may stand still. */

export const sleep = (ms: number) => new Promise<void>((resolve) => void setTimeout(resolve, ms))

/** Lets input that already waits be read. An overdue timer may run before it. */
export const inputTurn = async () => {
  for (let turn = 0; turn < 3; turn++) await new Promise<void>((resolve) => void setImmediate(resolve))
}
