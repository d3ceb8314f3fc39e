/** Colours in tests, whatever the terminal: chalk looks for them once. Imported before anything of Ink. */
export const depth = "3"
process.env["FORCE_COLOR"] = depth
