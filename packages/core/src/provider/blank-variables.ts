/**
 * An empty variable counts as none. The AI SDK's modules look at theirs while they are loaded, and refuse to be loaded
 * with an empty one: so this is imported before them.
 */
for (const name of ["ANTHROPIC_BASE_URL", "OPENAI_BASE_URL"]) {
  if (process.env[name]?.trim() === "") delete process.env[name]
}
