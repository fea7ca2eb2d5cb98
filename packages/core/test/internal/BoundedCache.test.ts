import fc from "fast-check"
import { expect, it } from "vitest"
import { BoundedCache } from "../../src/internal/BoundedCache.js"

it("keeps the most recently used entries", () => {
  const cache = new BoundedCache<string, number>(3)
  for (const key of ["a", "b", "c"]) cache.set(key, 1)
  cache.get("a")
  cache.set("d", 1)
  expect(["a", "b", "c", "d"].filter((key) => cache.get(key) !== undefined)).toEqual(["a", "c", "d"])
})

it("never exceeds its weight, and counts the weight of its entries", () => {
  const steps = fc.array(fc.tuple(fc.integer({ min: 0, max: 9 }), fc.integer({ min: 0, max: 12 })))
  fc.assert(
    fc.property(steps, (steps) => {
      const cache = new BoundedCache<number, number>(10)
      for (const [key, weight] of steps) {
        cache.set(key, weight, weight)
        expect(cache.get(key)).toBe(weight > 10 ? undefined : weight)
        expect(cache.weight).toBeLessThanOrEqual(10)
      }
      let held = 0
      for (let key = 0; key < 10; key++) held += cache.get(key) ?? 0
      expect(cache.weight).toBe(held)
    }),
  )
})
