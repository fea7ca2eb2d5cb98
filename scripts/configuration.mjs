// Writes docs/configuration.md from the settings themselves. To be run after a build.
import { writeFileSync } from "node:fs"
import { configurationPage } from "../packages/cli/dist/index.js"

writeFileSync(new URL("../docs/configuration.md", import.meta.url), configurationPage())
