import type { Rule } from "@vigil/schema/permission"

/** Nobody is asked. */
export const allowAll: ReadonlyArray<Rule> = [{ action: "*", pattern: "*", effect: "allow" }]
