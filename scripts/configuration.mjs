// Writes docs/configuration.md from the settings. Run it after a build.
import { writeFileSync } from "node:fs"
import { configurationPage } from "../packages/cli/dist/index.js"

writeFileSync(new URL("../docs/configuration.md", import.meta.url), configurationPage())
