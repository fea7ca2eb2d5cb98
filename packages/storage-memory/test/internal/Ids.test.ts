import { describe, expect, it } from "@effect/vitest"
import * as fc from "fast-check"
import { Ids } from "../../src/internal/Ids.js"
import { Transaction } from "../../src/internal/Transaction.js"

const change = fc.record({ id: fc.integer({ min: 1, max: 30 }), present: fc.boolean() })

const step = fc.record({ changes: fc.array(change), commits: fc.boolean() })

const ascending = (ids: Iterable<number>) => [...ids].sort((a, b) => a - b)

describe("Ids", () => {
  it("reads like a sorted set, with pending changes only for their own transaction", () => {
    fc.assert(
      fc.property(fc.array(step), fc.integer({ min: 0, max: 31 }), (steps, bound) => {
        const ids = new Ids()
        let committed = new Set<number>()
        for (const { changes, commits } of steps) {
          const transaction = new Transaction()
          const pending = new Set(committed)
          for (const { id, present } of changes) {
            if (present) ids.add(transaction, id)
            else ids.remove(transaction, id)
            if (present) pending.add(id)
            else pending.delete(id)
          }
          expect([...ids.ascending(transaction)]).toEqual(ascending(pending))
          expect([...ids.ascending(null)]).toEqual(ascending(committed))
          if (commits) transaction.commit()
          else transaction.rollback()
          if (commits) committed = pending
          expect([...ids.ascending(null, bound)]).toEqual(ascending(committed).filter((id) => id > bound))
          expect([...ids.descending(null, bound)]).toEqual(
            ascending(committed)
              .filter((id) => id < bound)
              .reverse(),
          )
          expect([...ids.descending(null)]).toEqual(ascending(committed).reverse())
        }
      }),
    )
  })
})
