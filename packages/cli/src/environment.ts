/** What commands of a session are to run with: what this process has. */

const maxVariables = 2_000
const maxName = 1_000
const maxValue = 131_071

/** What no request can carry is left out. The owner leaves out what only providers are to read. */
export const ownEnvironment = (
  env: Readonly<Record<string, string | undefined>> = process.env
): Record<string, string> =>
  Object.fromEntries(
    Object.entries(env)
      .flatMap(([name, value]) => (value !== undefined && fits(name, value) ? [[name, value] as const] : []))
      .slice(0, maxVariables)
  )

const fits = (name: string, value: string) =>
  name.length > 0 && name.length <= maxName && !name.includes("=") && value.length <= maxValue
