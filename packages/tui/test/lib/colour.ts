/** Colours in tests, whatever the terminal: chalk looks for them once. Imported before anything of Ink. */
process.env["FORCE_COLOR"] = "3"
