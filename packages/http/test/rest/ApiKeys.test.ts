import { AccessPolicy, Actor, CurrentActor, UserStore, Users } from "@errata/core"
import { Context, Effect } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { changedStores } from "../support/changedStores.js"
import { adminKey, memberKey, start, type TestInstance } from "../support/TestInstance.js"

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

  const paths = [
    ["GET", "/projects"],
    ["POST", "/projects"],
    ["GET", "/projects/1"],
    ["GET", "/projects/1/groups"],
    ["GET", "/projects/1/groups/1"],
    ["POST", "/projects/1/groups/1/resolve"],
    ["DELETE", "/projects/1/groups/1/resolve"],
    ["POST", "/projects/1/groups/1/mute"],
    ["DELETE", "/projects/1/groups/1/mute"],
    ["GET", "/projects/1/groups/1/reports"],
    ["GET", "/projects/1/groups/1/reports/1"],
    ["GET", "/projects/1/reports/00000000000000000000000000000000"],
  ] as const

  it.each(paths)("refuses %s %s without a key", async (method, path) => {
    const answer = await errata.api(path, { method, key: null })
    expect(answer.status).toBe(401)
    expect(answer.headers.get("content-type")).toBe("application/problem+json")
    expect(answer.headers.get("www-authenticate")).toBe("Bearer")
    expect(answer.json).toMatchObject({ title: "Unauthorized", status: 401, detail: "Missing API key" })
    expect(answer.json.type).toMatch(/\/problems\/unauthorized$/)
  })

  it.each(paths)("refuses %s %s with an unknown key", async (method, path) => {
    const answer = await errata.api(path, { method, key: "errata_unknown_0123456789abcdef" })
    expect(answer.status).toBe(401)
    expect(answer.json).toMatchObject({ status: 401, detail: "Invalid API key" })
  })

  it.each([
    ["Basic dXNlcjpwYXNz"],
    ["Bearer"],
    ["Bearer "],
    [adminKey],
    [`Basicx ${adminKey}`],
    [`Bearer ${adminKey} more`],
    [`Bearer "${adminKey}`],
    ["Bearer \u00e9\u00e9"],
  ])("refuses the header %j", async (authorization) => {
    const answer = await errata.api("/projects", { key: null, headers: { authorization } })
    expect(answer.status).toBe(401)
  })

  it("asks the storage only for what can be a key, and answers alike", async () => {
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

  it("takes the scheme in any case", async () => {
    const headers = { authorization: `bearer ${memberKey}` }
    expect((await errata.api("/projects", { key: null, headers })).status).toBe(200)
  })

  it("refuses a deactivated user at once", async () => {
    expect((await errata.api("/projects", { key: memberKey })).status).toBe(200)
    await errata.run(
      Effect.gen(function* () {
        const users = yield* Users
        const read = yield* AccessPolicy.instance("users.read")
        const { id } = yield* users.findByEmailAddress(read, "member@example.com")
        yield* users.deactivate(yield* AccessPolicy.instance("users.administer"), id)
      }).pipe(Effect.provideService(CurrentActor, Actor.System())),
    )
    const answer = await errata.api("/projects", { key: memberKey })
    expect(answer.status).toBe(401)
    expect(answer.json.detail).toBe("Invalid API key")
  })
})
