import { defineConfig } from "tsup"
import { base } from "../../tsup.config.base.js"

// The part that runs in Node: it hands the built files to the server. `vite build` adds those files.
export default defineConfig({ ...base, entry: ["src/index.ts"] })
