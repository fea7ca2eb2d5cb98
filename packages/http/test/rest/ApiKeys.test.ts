import { UserStore } from "@errata/core/ports"
import { Context, Effect } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { changedStores } from "../support/changedStores.js"
import { start, type TestInstance } from "../support/TestInstance.js"

describe.each(["node", "web"] as const)("ApiKeys (%s)", (transport) => {
  let errata: TestInstance
  let lookedUp = 0
  beforeAll(async () => {
    const stores = changedStores((stores) => {
      const users = Context.get(stores, UserStore)
      return Context.add(stores, UserStore, {
        ...users,
        findByApiKeyHash: (hash) =>
          Effect.tap(users.findByApiKeyHash(hash), () => Effect.sync(() => lookedUp++)),
      })
    })
    errata = await start({ transport }, stores)
  })
  afterAll(() => errata.stop())

  it("queries the storage only for well-formed keys, with identical responses", async () => {
    const random = "0123456789abcdef"
    const answers = async (keys: ReadonlyArray<string>) => {
      const before = lookedUp
      const told = []
      for (const key of keys) {
        const { headers, json, status } = await errata.api("/projects", { key })
        told.push([status, json, headers.get("www-authenticate"), headers.get("content-type")])
      }
      return { told, asked: lookedUp - before }
    }
    const unknown = await answers([`errata_${random}`, `errata_${"0".repeat(200)}`])
    const impossible = await answers([
      "errata_",
      `errata_${random.slice(1)}`,
      `errata_${"0".repeat(201)}`,
      `Errata_${random}`,
      `other_${random}`,
      random,
    ])
    expect([unknown.asked, impossible.asked]).toEqual([2, 0])
    for (const told of [...unknown.told, ...impossible.told]) expect(told).toEqual(unknown.told[0])
    expect(unknown.told[0]).toEqual([
      401,
      expect.objectContaining({ detail: "Invalid API key" }),
      "Bearer",
      "application/problem+json",
    ])
  })
})
