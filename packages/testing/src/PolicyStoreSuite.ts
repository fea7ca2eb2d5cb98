import type { PolicyName } from "@errata/core"
import { PolicyStore, Storage } from "@errata/core/ports"
import { Effect } from "effect"
import { expect } from "vitest"
import { type ContractSuite, contractCase, onSecondNode } from "./ContractCase.js"
import * as Factory from "./Factory.js"

/** A new policy name. Storages accept any name. */
const freshName = Effect.sync(() => Factory.appName() as PolicyName)

const save = (name: PolicyName, settings: { readonly [setting: string]: unknown }) =>
  Effect.flatMap(PolicyStore, (policies) => policies.save(name, settings, Factory.noon))

/** Increments a setting as changes are made: locks and reads the policy, then saves it as a whole. */
const increment = Effect.fnUntraced(function* (name: PolicyName) {
  const storage = yield* Storage
  const policies = yield* PolicyStore
  yield* storage.transaction(
    Effect.gen(function* () {
      const { count = 0 } = yield* policies.lock(name)
      yield* Effect.yieldNow
      yield* policies.save(name, { count: Number(count) + 1 }, Factory.noon)
    }),
  )
})

export const policyStoreSuite: ContractSuite = {
  name: "PolicyStore",
  cases: [
    contractCase(
      "finds nothing of a policy that was never set",
      Effect.gen(function* () {
        const policies = yield* PolicyStore
        const storage = yield* Storage
        const name = yield* freshName
        expect(yield* policies.find(name)).toEqual({})
        expect(yield* storage.transaction(policies.lock(name))).toEqual({})
        expect(yield* policies.find(name)).toEqual({})
      }),
    ),

    contractCase(
      "replaces the stored value of one policy only",
      Effect.gen(function* () {
        const policies = yield* PolicyStore
        const [a, b] = [yield* freshName, yield* freshName]
        yield* save(a, { enabled: true, days: 90, kind: 'par"tial' })
        yield* save(b, { enabled: false })
        expect(yield* policies.find(a)).toEqual({ enabled: true, days: 90, kind: 'par"tial' })
        yield* save(a, { enabled: false })
        expect(yield* policies.find(a)).toEqual({ enabled: false })
        expect(yield* onSecondNode(Effect.flatMap(PolicyStore, ({ find }) => find(b)))).toEqual({
          enabled: false,
        })
      }),
    ),

    contractCase(
      "locks a policy against concurrent changes, even without a stored value",
      Effect.gen(function* () {
        const policies = yield* PolicyStore
        const name = yield* freshName
        const change = increment(name)
        yield* Effect.all([change, onSecondNode(change), change, onSecondNode(change)], {
          concurrency: "unbounded",
        })
        expect(yield* policies.find(name)).toEqual({ count: 4 })
      }),
    ),
  ],
}
