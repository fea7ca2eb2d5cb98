/**
 * The short form of the torture suite: one seed, one storage per scenario. `npm run torture` runs longer, with more
 * seeds and on both storages. It also tests failover between two nodes, which takes a lease's time.
 */
import { resolve } from "node:path"
import { afterAll, describe, expect, inject, it } from "vitest"
import * as Cleanup from "../../lib/Cleanup.js"
import * as Samples from "../../lib/Samples.js"
import type { StorageKind } from "../../lib/Storage.js"
import * as Run from "../../Run.js"
import { scenarios } from "../../Scenarios.js"

const seed = 1
/** In milliseconds. Scenarios have their own limits, which name the condition they waited for. */
const longest = 600_000
const cleanup = Cleanup.make()
const samples = Samples.read(resolve(import.meta.dirname, "../../.."))
afterAll(async () => {
  await cleanup.close()
})

/** Runs each scenario on its storage, one after the other. */
export const mistreat = (storageOf: Readonly<Record<string, StorageKind>>): void => {
  describe(`a server that is mistreated, seed ${seed}`, () => {
    const test = async (name: string, kind: StorageKind) => {
      const scenario = scenarios.find((candidate) => candidate.name === name)!
      const outcome = await Run.one(scenario, kind, {
        bin: inject("errataBin"),
        size: "short",
        seed,
        samples,
        databaseServer: async () => inject("databaseServer"),
        cleanup,
      })
      if (outcome.verdict === "not run") process.stderr.write(`Not run: ${name}. ${outcome.broken[0]}\n`)
      else {
        expect(outcome.broken, JSON.stringify(outcome.figures)).toEqual([])
        expect(outcome.checked).toBeGreaterThan(0)
      }
    }
    it.each(Object.entries(storageOf))("%s, %s", test, longest)
  })
}
