/** Of this server; clients of another major version refuse it. */
import packageJson from "../package.json" with { type: "json" }

export const version: string = packageJson.version
