/** The functions of an instance against the OpenAPI document that it serves. */
import { ingestTransport } from "@errata/core"
import { describe, expect, it } from "vitest"
import { NotFoundError, UnauthorizedError, ValidationError } from "../src/index.js"
import { failureOf, instances } from "./support/Instances.js"

/** Operations of REST that are no function, with the reason. */
const unreachable: Readonly<Record<string, string>> = {}

/** Functions of groups of calls that are no operation of REST. */
const further = [
  // Build tools upload at `/api/0`, which is not part of the contract.
  "artifacts.upload",
  // Another name of `groups.bulkMerge`.
  "groups.merge",
]

const functionsOf = (client: object): ReadonlyArray<string> =>
  Object.entries(client).flatMap(([group, calls]) =>
    typeof calls === "object" && calls !== null
      ? Object.entries(calls).flatMap(([name, call]) =>
          typeof call === "function" ? [`${group}.${name}`] : [],
        )
      : [],
  )

/** Decodes nothing: every message that it accepts becomes a dead letter. */
const unreadable = ingestTransport({
  kind: "unreadable",
  decode: () => {
    throw new Error("no event")
  },
  reply: ({ _tag }) => _tag,
})

describe("the functions of an instance", () => {
  const make = instances()

  it("are the operations of its OpenAPI document", async () => {
    const errata = await make()
    const response = await errata.fetch(new Request("http://localhost/api/service/v1/openapi.json"))
    const { paths } = (await response.json()) as { readonly paths: Readonly<Record<string, object>> }
    const operations = Object.values(paths)
      .flatMap((path) => Object.values(path) as ReadonlyArray<{ readonly operationId: string }>)
      .map(({ operationId }) => operationId)
    expect(operations.length).toBeGreaterThan(80)
    const expected = [...operations.filter((name) => !(name in unreachable)), ...further].sort()
    expect(functionsOf(errata).toSorted()).toEqual(expected)
    expect(functionsOf(errata.asUser(1)).toSorted()).toEqual(expected)
  })

  it("merge groups", async () => {
    const errata = await make()
    const { id } = errata.project
    for (const message of ["a", "b", "c"])
      await errata.capture(new Error(message), { fingerprint: [message] })
    await errata.flush()
    const [a, b, c] = (await errata.groups.list(id)).groups
    expect(await errata.groups.merge(a!, b!)).toMatchObject({ processed: 1, merged_into_id: a!.id })
    await errata.groups.merge(a!, [c!])
    expect((await errata.groups.list(id)).groups.map((group) => group.id)).toEqual([a!.id])
    expect((await errata.merges.list(id, a!.id)).merges).toHaveLength(2)
    const foreign = { ...b!, project_id: id + 1 }
    expect(await failureOf(errata.groups.merge(a!, foreign))).toBeInstanceOf(TypeError)
  })

  it("move dead letters back into the queue, replace API keys, and report health", async () => {
    const errata = await make({ transports: [unreadable] })
    const { id } = errata.project
    await errata.receive(unreadable, { id: "a", body: new Uint8Array(2) })
    await errata.flush()
    const { dead_letters: letters } = await errata.deadLetters.list()
    expect(letters).toMatchObject([{ project_id: id, bytes: 2, reason: "no event" }])
    expect(await errata.deadLetters.retryAll()).toEqual({ retried: 1 })

    const user = await errata.users.create({ email_address: "ann@example.com", role: "admin" })
    expect(await errata.users.rotateApiKey(user.id)).toMatchObject({
      api_key: expect.stringMatching(/^errata_/),
    })
    expect(await errata.health.details()).toMatchObject({ checks: expect.any(Array) })
  })
})

describe("uploads from within the process", () => {
  const make = instances()
  const files = [
    { name: "~/app.js", content: "t()\n//# sourceMappingURL=app.js.map\n" },
    { name: "~/app.js.map", content: Buffer.from(`{"version":3,"sources":[],"names":[],"mappings":""}`) },
  ]

  it("become bundles of their release", async () => {
    const errata = await make()
    const { id } = errata.project
    const ids = await errata.artifacts.upload(id, { release: "shop@1.0.0", dist: "web", files })
    const bundles = await Promise.all(ids.map((bundle) => errata.artifacts.get(id, bundle)))
    expect(bundles).toMatchObject(
      files.map(({ name }) => ({ name, state: "ok", links: [{ release: "shop@1.0.0", dist: "web" }] })),
    )
    expect((await errata.releases.list(id)).releases).toMatchObject([{ version: "shop@1.0.0" }])
  })

  it("are refused with the errors of the calls", async () => {
    const errata = await make()
    const { id } = errata.project
    const release = "shop@1.0.0"
    expect(await failureOf(errata.artifacts.upload(id, { release, files: [] }))).toMatchObject({
      errors: { files: ["must not be empty"] },
    })
    const unnamed = failureOf(errata.artifacts.upload(id, { release: "", files }))
    expect(await unnamed).toBeInstanceOf(ValidationError)
    expect(await unnamed).toMatchObject({
      code: "ValidationFailed",
      errors: { release: [expect.any(String)] },
    })
    for (const unknown of [id + 1, 0, 0.5]) {
      expect(await failureOf(errata.artifacts.upload(unknown, { release, files }))).toBeInstanceOf(
        NotFoundError,
      )
    }
    const user = await errata.users.create({ email_address: "bo@example.com", role: "member" })
    const bo = errata.asUser(user.id)
    expect(await failureOf(bo.artifacts.upload(id, { release, files }))).toBeInstanceOf(NotFoundError)
    expect(await failureOf(errata.asUser(99).artifacts.upload(id, { release, files }))).toBeInstanceOf(
      UnauthorizedError,
    )
  })
})
