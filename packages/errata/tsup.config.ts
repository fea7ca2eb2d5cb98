import { defineConfig } from "tsup"
import { base } from "../../tsup.config.base.js"

export default defineConfig({
  ...base,
  entry: [
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
  ],
})
