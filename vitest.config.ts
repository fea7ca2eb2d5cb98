import { existsSync, statfsSync } from "node:fs"
import { freemem } from "node:os"
import { defineConfig } from "vitest/config"
import { defined } from "./packages/sourcemap/threadText.js"

const conditions = ["@errata/source", "node"]

/** Tests run on the sources of every package, without a build. */
const sources = {
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  // Vitest's own environment, which runs the global setup.
  environments: { __vitest__: { resolve: { conditions } } },
}

/** Constants with the code of the source map thread. Vitest empties the object, so each project gets a copy. */
const text = defined()
const withText = () => ({ ...sources, define: { ...text } })

const memoryFolder = "/dev/shm"

/** Free bytes of the folder in memory; 0 if there is none. */
const roomInMemory = (): number => {
  if (!existsSync(memoryFolder)) return 0
  const { bavail, bsize } = statfsSync(memoryFolder)
  return Math.min(bavail * bsize, freemem())
}

// In memory, creating the test databases takes two thirds of the time, and half of the system time.
if (process.platform === "linux" && process.env.TMPDIR === undefined && roomInMemory() > 8 * 1024 ** 3) {
  process.env.TMPDIR = memoryFolder
}

const common = {
  setupFiles: ["packages/core/test/support/seed.ts"],
  // Limits only end failed tests.
  expect: { poll: { timeout: 30_000 } },
  // Last resort: waits in tests have their own limits, with better messages.
  testTimeout: 600_000, // Some tests start a dozen processes, each of which takes ten seconds on a busy machine.
  hookTimeout: 300_000,
  // Tests mostly wait for processes. Three files at once are faster even on two cores.
  maxWorkers: 3,
}

const testsOf = (folders: ReadonlyArray<string>) => folders.map((folder) => `${folder}/test/**/*.test.ts`)

/**
 * Files that share a thread and its modules, because loading them dominates their time. A file must restore whatever it
 * changes.
 */
const together = [
  "api",
  "blobs",
  "core",
  "dashboard",
  "effect",
  "errata",
  "http",
  "mcp",
  "notify",
  "sentry",
  "sourcemap",
  "testing",
].map((name) => `packages/${name}`)

/** Files that share a process and its modules. They start processes, send signals and listen on ports. */
const apart = ["packages/cli", "packages/storage-memory", "packages/storage-postgres", "examples/*", "."]

/** Tests that kill and starve real processes under load, and send them hostile input: `npm run test:faults`. */
const faults = [
  "packages/cli/test/faults/**/*.test.ts",
  "packages/storage-postgres/test/embedded/{Owner,Postmaster}.test.ts",
  "torture/test/**/*.test.ts",
]

export default defineConfig({
  // For the run's own setup: projects do not inherit it.
  ...sources,
  test: {
    globalSetup: [
      "packages/storage-postgres/test/support/globalSetup.ts",
      "packages/cli/test/support/globalSetup.ts",
    ],
    projects: [
      {
        ...withText(),
        test: { ...common, name: "together", pool: "threads", isolate: false, include: testsOf(together) },
      },
      {
        ...withText(),
        test: {
          ...common,
          name: "apart",
          pool: "forks",
          isolate: false,
          include: testsOf(apart),
          exclude: faults,
        },
      },
      {
        ...withText(),
        test: { ...common, name: "faults", pool: "forks", isolate: false, include: faults },
      },
    ],
  },
})
