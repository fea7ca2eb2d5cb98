import { defineConfig } from "vitest/config"
import { defined } from "./packages/sourcemap/threadText.js"

const conditions = ["@errata/source", "node"]

/** Tests that need an installed Chromium: `npm run test:browser`. */
export default defineConfig({
  define: defined(),
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  // The environment of the global setup.
  environments: { __vitest__: { resolve: { conditions } } },
  test: {
    include: ["packages/*/test-browser/**/*.test.ts"],
    globalSetup: [
      "packages/dashboard/test-browser/support/globalSetup.ts",
      "packages/storage-postgres/test/support/globalSetup.ts",
    ],
    // Limits only end failed tests.
    expect: { poll: { timeout: 30_000 } },
    // Last resort, as waits have their own limits. The inspection of all pages takes minutes on a busy machine.
    testTimeout: 1_200_000,
    hookTimeout: 300_000,
    // On two cores, the default is one file at a time: 874 s instead of 699.
    maxWorkers: 2,
  },
})
