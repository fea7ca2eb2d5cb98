/**
 * The suite in its short form: one seed, one storage for each scenario. `npm run torture` does the same for longer, with
 * more seeds and on both storages; that two nodes take over from one another takes a lease's time and is left to it.
 */
import { resolve } from "node:path"
import { afterAll, describe, expect, inject, it } from "vitest"
import * as Cleanup from "../../lib/Cleanup.js"
import * as Samples from "../../lib/Samples.js"
import type { StorageKind } from "../../lib/Storage.js"
import * as Run from "../../Run.js"
import { scenarios } from "../../Scenarios.js"

const seed = 1
/** In milliseconds. Scenarios have limits of their own, which tell what was waited for. */
const longest = 300_000
const cleanup = Cleanup.make()
const samples = Samples.read(resolve(import.meta.dirname, "../../.."))
afterAll(async () => {
  await cleanup.close()
})

/** Runs each of the scenarios on its storage, one after the other. */
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
