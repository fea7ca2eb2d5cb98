import { defineConfig } from "vitest/config"

const conditions = ["@errata/source", "node"]

/** Tests read the sources of every package: nothing has to be built first. */
const sources = {
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  // Vitest's own environment, in which it runs the global setup.
  environments: { __vitest__: { resolve: { conditions } } },
}

const common = {
  setupFiles: ["packages/core/test/support/seed.ts"],
  // Only there to end what has failed: what a test waits for has limits of its own, which tell what it was.
  testTimeout: 180_000,
  hookTimeout: 120_000,
}

const testsOf = (folders: ReadonlyArray<string>) => folders.map((folder) => `${folder}/test/**/*.test.ts`)

/**
 * Files that share a thread and the modules in it, which would otherwise be loaded anew for each of them: most of the
 * time of such a file. What they need of each other's state they must take care of, and none of them may call `layer` of
 * @effect/vitest: it leaves its `it` to whoever comes after.
 */
const together = ["api", "blobs", "core", "errata", "http", "mcp", "sentry", "sourcemap", "testing"].map(
  (name) => `packages/${name}`,
)

/** Files with a process of their own: they mind processes, signals and servers. */
const apart = [
  "packages/cli",
  "packages/storage-memory",
  "packages/storage-postgres",
  "examples/*",
  ".",
  "torture",
]

export default defineConfig({
  // For what the run itself starts; projects inherit nothing.
  ...sources,
  test: {
    globalSetup: [
      "packages/storage-postgres/test/support/globalSetup.ts",
      "packages/cli/test/support/globalSetup.ts",
    ],
    projects: [
      {
        ...sources,
        test: {
          ...common,
          name: "together",
          pool: "threads",
          isolate: false,
          maxWorkers: 1,
          include: testsOf(together),
        },
      },
      {
        ...sources,
        test: { ...common, name: "apart", pool: "forks", maxWorkers: 3, include: testsOf(apart) },
      },
    ],
  },
})
