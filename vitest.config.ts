import { defineConfig } from "vitest/config"

export default defineConfig({
  // Tests read the sources of every package: nothing has to be built first.
  resolve: { conditions: ["@errata/source", "import", "node", "default"] },
  ssr: { resolve: { conditions: ["@errata/source", "import", "node", "default"] } },
  test: {
    include: ["packages/*/test/**/*.test.ts", "examples/*/test/**/*.test.ts"],
    testTimeout: 30_000,
    hookTimeout: 60_000,
  },
})
