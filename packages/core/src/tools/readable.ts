/** Which files a search may open: a rule against reading a file also holds for who searches the directory above. */
import type { Session } from "@vigil/schema/session"
import { Effect } from "effect"
import type { Settings } from "../config.ts"
import type { Permissions } from "../permission.ts"
import { defaultRules, evaluate, isSaved } from "../permission/rule.ts"
import { ToolFailed } from "../tool.ts"
import { type Located, subjectsOf } from "./path.ts"

/**
 * A test for files below `located`, whose reading has been permitted, by their names as rules see them. Where reading
 * a file would be denied, or asked for by another rule than the directory itself, it says no.
 */
export const readableBelow = Effect.fnUntraced(function* (
  settings: Settings["Service"],
  permissions: Permissions["Service"],
  session: Session,
  located: Located
) {
  const config = yield* settings
    .for(session.directory)
    .pipe(Effect.catchTag("ConfigInvalid", ({ message }) => Effect.fail(new ToolFailed({ message }))))
  const saved = yield* permissions.saved(session.directory)
  const rules = [...defaultRules, ...config.permission, ...session.rules]
  const permitted = evaluate(rules, subjectsOf("read", located)[0]!)
  return (name: string): boolean => {
    const subject = { action: "read" as const, value: name, pattern: name }
    const { effect, rule } = evaluate(rules, subject)
    return effect === "allow" || (effect === "ask" && (rule === permitted.rule || isSaved(saved, subject)))
  }
})
