import { describe, expect, it } from "@effect/vitest"
import * as fc from "fast-check"
import { Rows } from "../../src/internal/Rows.js"
import { Transaction } from "../../src/internal/Transaction.js"

const change = fc.record({
  key: fc.constantFrom("a", "b", "c", "d", "e"),
  value: fc.option(fc.integer(), { nil: undefined }),
})

const step = fc.record({ changes: fc.array(change), commits: fc.boolean() })

describe("Rows", () => {
  it("reads like a map, with pending changes only for their own transaction", () => {
    fc.assert(
      fc.property(fc.array(step), (steps) => {
        const rows = new Rows<string, number>()
        let committed = new Map<string, number>()
        for (const { changes, commits } of steps) {
          const transaction = new Transaction()
          const pending = new Map(committed)
          for (const { key, value } of changes) {
            if (value === undefined) rows.delete(transaction, key)
            else rows.set(transaction, key, value)
            if (value === undefined) pending.delete(key)
            else pending.set(key, value)
          }
          for (const key of ["a", "b", "c", "d", "e", "f"]) {
            expect(rows.get(transaction, key)).toBe(pending.get(key))
            expect(rows.get(null, key)).toBe(committed.get(key))
            expect(rows.has(transaction, key)).toBe(pending.has(key))
          }
          expect(new Map(rows.entries(transaction))).toEqual(pending)
          expect(new Map(rows.entries(null))).toEqual(committed)
          if (commits) transaction.commit()
          else transaction.rollback()
          if (commits) committed = pending
        }
      }),
    )
  })

  it("returns entries in the order of insertion", () => {
    const rows = new Rows<number, string>()
    const first = new Transaction()
    for (const key of [3, 1, 2]) rows.set(first, key, "first")
    first.commit()
    const second = new Transaction()
    rows.set(second, 4, "second")
    rows.set(second, 1, "second")
    expect([...rows.entries(second)].map(([key]) => key)).toEqual([3, 1, 2, 4])
    second.commit()
    expect([...rows.entries(null)].map(([key]) => key)).toEqual([3, 1, 2, 4])
  })
})
