import { writeFileSync } from "node:fs"
import { basename } from "node:path"
import { defineConfig } from "tsup"
import { base } from "../../tsup.config.base.js"

/**
 * Returns the module that `require` loads. Jest runs modules in contexts of their own and does not load ES modules there, so the module is loaded
 * by Node in its main context. Bundlers follow the other branch.
 */
const required = (file: string): string => `"use strict"
module.exports =
  typeof jest === "undefined"
    ? require("./${file}")
    : require("node:vm")
        .runInThisContext("process.getBuiltinModule('node:module')")
        .createRequire(__filename)("./${file}")
`

const entry = [
  "src/index.ts",
  "src/postgres.ts",
  "src/embedded.ts",
  "src/effect.ts",
  "src/express.ts",
  "src/fastify.ts",
  "src/hono.ts",
  "src/koa.ts",
  "src/next.ts",
  "src/opentelemetry.ts",
  "src/testing/index.ts",
]

export default defineConfig({
  ...base,
  entry,
  onSuccess: async () => {
    // Programs on Effect are ES modules.
    for (const source of entry.filter((path) => path !== "src/effect.ts")) {
      const file = source.replace(/^src/, "dist").replace(/ts$/, "js")
      writeFileSync(file.replace(/js$/, "cjs"), required(basename(file)))
    }
  },
})
