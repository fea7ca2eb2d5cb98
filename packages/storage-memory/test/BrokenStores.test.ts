/** Mutation tests of the contract: correct storages must pass it, and each broken one must fail it. */

import { describe, expect, it } from "@effect/vitest"
import { StorageError } from "@errata/core"
import { RateLimitStore } from "@errata/core/ports"
import { MemoryStorage } from "@errata/storage-memory"
import { type ContractSuite, checkRule, nodes, restartTime, runCase, storageSuites } from "@errata/testing"
import { Context, Duration, Effect, Layer } from "effect"
import { brokenArtifactStores } from "./BrokenArtifactStores.js"
import { brokenBackgroundStores } from "./BrokenBackgroundStores.js"
import { brokenIdentityStores } from "./BrokenIdentityStores.js"
import { brokenNotificationStores } from "./BrokenNotificationStores.js"
import { brokenResourceStores } from "./BrokenResourceStores.js"
import { brokenRetentionStores } from "./BrokenRetentionStores.js"
import { brokenStores } from "./BrokenStores.js"

/** Returns the names of the cases that fail on a storage. Cases that hang fail after `patience`. */
const failures = (
  cases: ContractSuite["cases"],
  stores: Layer.Layer<Layer.Success<typeof MemoryStorage.layer>>,
  patience: Duration.Input,
) =>
  // In the order of the storages' own tests.
  Effect.forEach(cases, (contractCase) =>
    runCase(contractCase).pipe(
      Effect.timeout(patience),
      Effect.exit,
      Effect.map((exit) => (exit._tag === "Failure" ? [contractCase.name] : [])),
    ),
  ).pipe(
    (cases) => Effect.andThen(restartTime, cases),
    Effect.map((failed) => failed.flat()),
    Effect.provide(nodes({ layer: stores })),
  )

const allBroken = [
  ...brokenStores,
  ...brokenResourceStores,
  ...brokenNotificationStores,
  ...brokenBackgroundStores,
  ...brokenRetentionStores,
  ...brokenArtifactStores,
  ...brokenIdentityStores,
]

describe("The contract fails", () => {
  for (const broken of allBroken) {
    it.live(broken.fault, () =>
      Effect.gen(function* () {
        for (const [name, expected] of Object.entries(broken.fails)) {
          const { cases } = storageSuites.find((suite) => suite.name === name)!
          const stores = Layer.effectContext(Effect.map(Layer.build(MemoryStorage.layer), broken.break))
          const told = cases.filter((contractCase) => expected.includes(contractCase.name))
          expect(yield* failures(told, stores, "5 seconds")).toEqual(expected)
        }
      }),
    )
  }

  it.live("with a message that names the rule, the observed value and the cause", () =>
    Effect.gen(function* () {
      const suite = storageSuites.find(({ name }) => name === "RateLimitStore")!
      const messageOf = (take: RateLimitStore["Service"]["take"]) =>
        checkRule(suite, suite.cases[0]!).pipe(
          Effect.flip,
          Effect.map(({ message }) => message.split("\n")),
          Effect.provide(
            nodes({
              layer: Layer.effectContext(
                Effect.map(Layer.build(MemoryStorage.layer), (stores) =>
                  Context.add(stores, RateLimitStore, { ...Context.get(stores, RateLimitStore), take }),
                ),
              ),
            }),
          ),
        )
      const rule =
        "The storage breaks a rule of RateLimitStore: " + "allows the given number of attempts across nodes"
      const refused = new StorageError({
        operation: "take",
        reason: "rejected",
        cause: new Error("no table"),
      })
      expect(yield* messageOf(() => refused)).toEqual([
        rule,
        "Observed: take: storage rejected",
        "Cause: Error: no table",
      ])
      const [named, observed] = yield* messageOf(() =>
        Effect.succeed({ allowed: true, after: Duration.zero }),
      )
      expect([named, observed]).toEqual([rule, expect.stringMatching(/^Observed: expected \[ true/)])
    }),
  )

  // The cases run apart from their suites above, so they must pass in that way.
  it.live("in no case on a correct storage", () =>
    Effect.gen(function* () {
      for (const { cases, name } of storageSuites) {
        const told = cases.filter((contractCase) =>
          allBroken.some(({ fails }) => fails[name]?.includes(contractCase.name)),
        )
        expect(yield* failures(told, MemoryStorage.layer, "50 seconds")).toEqual([])
      }
    }),
  )
})
