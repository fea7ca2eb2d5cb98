import { defineConfig } from "tsup"
import { base } from "../../tsup.config.base.js"

export default defineConfig({
  ...base,
  entry: [
    "src/index.ts",
    "src/internal.ts",
    "src/client/index.ts",
    "src/promise/index.ts",
    "src/wire/index.ts",
  ],
})
