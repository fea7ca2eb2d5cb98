import { defineConfig } from "vitest/config"

const conditions = ["@errata/source", "node"]

export default defineConfig({
  // Tests read the sources of every package: nothing has to be built first.
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    include: [
      "packages/*/test/**/*.test.ts",
      "examples/*/test/**/*.test.ts",
      "test/**/*.test.ts",
      "torture/test/**/*.test.ts",
    ],
    globalSetup: [
      "packages/storage-postgres/test/support/globalSetup.ts",
      "packages/cli/test/support/globalSetup.ts",
    ],
    testTimeout: 60_000,
    hookTimeout: 120_000,
  },
})
