import { AccessPolicy } from "@errata/core"
import { describe, expect, it } from "vitest"
import {
  ErrataClosedError,
  ErrataError,
  ForbiddenError,
  NotFoundError,
  UnauthorizedError,
  ValidationError,
} from "../src/index.js"
import { failureOf, instances } from "./support/Instances.js"

describe("calls", () => {
  const make = instances()

  it("answer the JSON of the REST API", async () => {
    const errata = await make()
    const created = await errata.projects.create({ name: "Tea", platform: "node" })
    expect(await errata.projects.get(created.id)).toEqual(created)
    expect(created).toMatchObject({ name: "Tea", created_at: expect.stringMatching(/Z$/), muted_until: null })
    const { has_more: more, next_cursor: cursor, projects } = await errata.projects.list()
    expect([projects.map(({ name }) => name), more, cursor]).toEqual([["Tea", "First project"], false, null])
    const seen: Array<string> = []
    for await (const { name } of errata.projects.list({ limit: 1 })) seen.push(name)
    expect(seen).toEqual(["Tea", "First project"])
    expect(await errata.projects.remove(created.id)).toBeUndefined()
    const webhook = await errata.webhooks.create(errata.project.id, {
      url: "https://hooks.example.com/",
      events: ["group.created"],
    })
    expect(webhook.secret).toMatch(/^whsec_/)
  })

  it("fail with a code and a status", async () => {
    const errata = await make()
    const missing = await failureOf(errata.groups.get(errata.project.id, 404))
    expect(missing).toBeInstanceOf(NotFoundError)
    expect(missing).toBeInstanceOf(ErrataError)
    expect(missing).toMatchObject({
      code: "NotFound",
      status: 404,
      message: expect.stringContaining(`GET /api/service/v1/projects/${errata.project.id}/groups/404`),
    })
    const invalid = await failureOf(errata.projects.create({ name: "" }))
    expect(invalid).toBeInstanceOf(ValidationError)
    expect(invalid).toMatchObject({
      code: "ValidationFailed",
      status: 422,
      errors: { name: [expect.any(String)] },
    })
  })

  it("end with their signal, before and while they run", async () => {
    const errata = await make()
    const gone = AbortSignal.abort(new Error("gone"))
    expect(await failureOf(errata.projects.get(errata.project.id, { signal: gone }))).toMatchObject({
      message: "gone",
    })
    const controller = new AbortController()
    const call = failureOf(errata.projects.get(errata.project.id, { signal: controller.signal }))
    controller.abort(new Error("left"))
    expect(await call).toMatchObject({ message: "left" })
    expect((await errata.projects.get(errata.project.id)).id).toBe(errata.project.id)
  })

  it("of a user have that user's current permissions", async () => {
    const errata = await make()
    const theirs = await errata.projects.create({ name: "Theirs" })
    const user = await errata.users.create({ name: "Ann", email_address: "ann@example.com", role: "member" })
    await errata.members.add(theirs.id, user.id)
    const ann = errata.asUser(user.id)

    expect((await ann.projects.list()).projects.map(({ id }) => id)).toEqual([theirs.id])
    expect(await failureOf(ann.groups.list(errata.project.id))).toBeInstanceOf(NotFoundError)
    const denied = await failureOf(ann.policies.getErrorRetention())
    expect(denied).toBeInstanceOf(ForbiddenError)
    expect(denied).toMatchObject({ code: "Forbidden", status: 403 })
    await errata.capture(new Error("a"), { project: theirs })
    await errata.flush()
    const [group] = (await ann.groups.list(theirs.id)).groups
    await ann.groups.resolve(theirs.id, group!.id)
    expect(await errata.groups.get(theirs.id, group!.id)).toMatchObject({ resolver_id: user.id })

    await errata.users.update(user.id, { role: "admin" })
    expect((await ann.groups.list(errata.project.id)).groups).toEqual([])
    await errata.users.create({ name: "Bo", email_address: "bo@example.com", role: "admin" })
    await errata.users.deactivate(user.id)
    for (const id of [user.id, 999, 0, -1, 1.5]) {
      const nobody = await failureOf(errata.asUser(id).projects.list())
      expect(nobody).toBeInstanceOf(UnauthorizedError)
      expect(nobody).toMatchObject({ code: "Unauthorized", status: 401 })
    }
  })

  it("use the application's own access rules", async () => {
    const { defaultRules } = AccessPolicy
    const errata = await make({
      access: { ...defaultRules, instance: { ...defaultRules.instance, "projects.create": () => false } },
      project: "Mine",
    }).catch((error: unknown) => error)
    expect(errata).toMatchObject({ code: "StartFailed" })
    const open = await make({
      access: {
        ...defaultRules,
        instance: { ...defaultRules.instance, "policies.read": AccessPolicy.anyone },
      },
    })
    const user = await open.users.create({ name: "Ann", email_address: "ann@example.com", role: "member" })
    expect(await open.asUser(user.id).policies.getErrorRetention()).toMatchObject({
      enabled: expect.any(Boolean),
    })
  })

  it("are refused after close", async () => {
    const errata = await make()
    await errata.projects.list()
    await errata.close()
    for (const call of [
      errata.projects.list(),
      errata.asUser(1).projects.list(),
      errata.groups.get(1, 1),
      errata.flush(),
    ]) {
      const failure = await failureOf(call)
      expect(failure).toBeInstanceOf(ErrataClosedError)
      expect(failure).toMatchObject({ code: "Closed", status: 503 })
    }
  })
})
