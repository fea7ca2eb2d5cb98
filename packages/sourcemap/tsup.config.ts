import { defineConfig } from "tsup"
import { base } from "../../tsup.config.base.js"
import { defined } from "./threadText.js"

export default defineConfig({ ...base, entry: ["src/index.ts"], define: defined() })
