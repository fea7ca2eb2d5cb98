import { defineConfig } from "vitest/config"

const conditions = ["@errata/source", "node"]

export default defineConfig({
  // Tests read the sources of every package: nothing has to be built first.
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    // Many tests wait for processes and for clocks: a third worker has the time that two leave, also on two cores.
    minWorkers: 3,
    maxWorkers: 3,
    testTimeout: 60_000,
    hookTimeout: 120_000,
    globalSetup: [
      "packages/storage-postgres/test/support/globalSetup.ts",
      "packages/cli/test/support/globalSetup.ts",
    ],
    include: [
      "packages/*/test/**/*.test.ts",
      "examples/*/test/**/*.test.ts",
      "test/**/*.test.ts",
      "torture/test/**/*.test.ts",
    ],
  },
})
