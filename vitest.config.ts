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
    // Many tests wait for processes and for clocks: a second worker has the time that the first one leaves, also on two cores.
    minWorkers: 2,
    maxWorkers: 2,
    testTimeout: 60_000,
    hookTimeout: 120_000,
  },
})
