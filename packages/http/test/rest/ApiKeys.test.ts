import { Actor, CurrentActor, Users } from "@errata/core"
import { Effect } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { adminKey, memberKey, start, type TestInstance } from "../support/TestInstance.js"

describe.each(["node", "web"] as const)("ApiKeys (%s)", (transport) => {
  let errata: TestInstance
  beforeAll(async () => {
    errata = await start({ transport })
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
    const answer = await errata.api(path, { method, key: "errata_unknown" })
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

  it("takes the scheme in any case", async () => {
    const headers = { authorization: `bearer ${memberKey}` }
    expect((await errata.api("/projects", { key: null, headers })).status).toBe(200)
  })

  it("refuses a deactivated user at once", async () => {
    expect((await errata.api("/projects", { key: memberKey })).status).toBe(200)
    await errata.run(
      Effect.flatMap(Users, (users) => users.findByEmailAddress("member@example.com")).pipe(
        Effect.flatMap((user) => Effect.flatMap(Users, (users) => users.deactivate(user.id))),
        Effect.provideService(CurrentActor, Actor.System()),
      ),
    )
    const answer = await errata.api("/projects", { key: memberKey })
    expect(answer.status).toBe(401)
    expect(answer.json.detail).toBe("Invalid API key")
  })
})
