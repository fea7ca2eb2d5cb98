/** Texts of statements in a bucket. */
import { expect, it } from "vitest"
import * as Buckets from "../../src/internal/Buckets.js"

const textOf = (text: string) => Buckets.texts(text, 1, 2)[0]

const pinned = "WITH pinned AS (UPDATE errata_b1.here SET is_here = true WHERE NOT is_here)"

it("keeps the bucket in its place with a query that locks rows", () => {
  const locking = "SELECT id FROM errata.groups ORDER BY id FOR NO KEY UPDATE"
  const placed = "SELECT id FROM errata_b1.groups ORDER BY id FOR NO KEY UPDATE"
  expect(textOf(`\n  ${locking}`)).toBe(`\n  ${pinned} ${placed}`)
  expect(textOf(`/* prepared */\n  ${locking}`)).toBe(`/* prepared */\n  ${pinned} ${placed}`)
  expect(textOf(`WITH some AS (SELECT 1) ${locking}`)).toBe(`${pinned}, some AS (SELECT 1) ${placed}`)
  for (const lock of ["FOR UPDATE SKIP LOCKED", "FOR SHARE", "FOR KEY SHARE OF g"])
    expect(textOf(`SELECT 1 FROM errata.groups AS g ${lock}`)).toContain(pinned)
})

it("rejects a query with row locks and an unknown beginning", () => {
  expect(() => textOf("(SELECT id FROM errata.groups FOR UPDATE)")).toThrow(/unknown start/)
})

it("leaves other statements as they are", () => {
  for (const text of [
    "SELECT id FROM errata_b1.groups",
    "SELECT id FROM errata.projects FOR NO KEY UPDATE",
    "DELETE FROM errata_b1.groups WHERE id IN (SELECT id FROM errata_b1.groups FOR UPDATE)",
    "WITH some AS (SELECT id FROM errata_b1.groups FOR UPDATE) UPDATE errata_b1.groups AS g SET id = 1",
  ])
    expect(textOf(text.replaceAll("errata_b1", "errata"))).toBe(text)
})
