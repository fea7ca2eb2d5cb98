import { defineConfig } from "vitest/config"
import { defined } from "./packages/sourcemap/threadText.js"

const conditions = ["@errata/source", "node"]

/** What needs a browser of the system, which not everybody has: `npm run test:browser`. */
export default defineConfig({
  define: defined(),
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  // Vitest's own environment, in which it runs the global setup.
  environments: { __vitest__: { resolve: { conditions } } },
  test: {
    include: ["packages/*/test-browser/**/*.test.ts"],
    globalSetup: [
      "packages/dashboard/test-browser/support/globalSetup.ts",
      "packages/storage-postgres/test/support/globalSetup.ts",
    ],
    // Limits that end failed tests; none of them is a measure.
    expect: { poll: { timeout: 30_000 } },
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
})
