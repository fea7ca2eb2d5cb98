import { existsSync, statfsSync } from "node:fs"
import { freemem } from "node:os"
import { defineConfig } from "vitest/config"
import { defined } from "./packages/sourcemap/threadText.js"

const conditions = ["@errata/source", "node"]

/** Tests read the sources of every package: nothing has to be built first. */
const sources = {
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  // Vitest's own environment, in which it runs the global setup.
  environments: { __vitest__: { resolve: { conditions } } },
}

/** The text of the thread that reads maps. Vitest empties the object, so each project has its own. */
const text = defined()
const withText = () => ({ ...sources, define: { ...text } })

const memoryFolder = "/dev/shm"

/** Bytes that may be written to a folder in memory; 0 where there is none. */
const roomInMemory = (): number => {
  if (!existsSync(memoryFolder)) return 0
  const { bavail, bsize } = statfsSync(memoryFolder)
  return Math.min(bavail * bsize, freemem())
}

// In memory, making the databases of tests takes two thirds of the time, and half of the system's.
if (process.platform === "linux" && process.env.TMPDIR === undefined && roomInMemory() > 8 * 1024 ** 3) {
  process.env.TMPDIR = memoryFolder
}

const common = {
  setupFiles: ["packages/core/test/support/seed.ts"],
  // Only there to end what has failed: what a test waits for has limits of its own, which tell what it was.
  testTimeout: 180_000,
  hookTimeout: 120_000,
  // Tests of processes spend most of their time waiting for them: even on two cores, three files at once end sooner.
  maxWorkers: 3,
}

const testsOf = (folders: ReadonlyArray<string>) => folders.map((folder) => `${folder}/test/**/*.test.ts`)

/**
 * Files that share a thread and the modules in it, which would otherwise be loaded anew for each of them: most of the
 * time of such a file. A file must put back whatever it changes.
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

/** Files that share a process and the modules in it. They start processes, send signals, and listen on ports. */
const apart = ["packages/cli", "packages/storage-memory", "packages/storage-postgres", "examples/*", "."]

/** Tests that kill and starve real processes under load, and send them hostile input: `npm run test:faults`. */
const faults = [
  "packages/cli/test/faults/**/*.test.ts",
  "packages/storage-postgres/test/embedded/{Owner,Postmaster}.test.ts",
  "torture/test/**/*.test.ts",
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
