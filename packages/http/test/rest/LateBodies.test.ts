import { createHash } from "node:crypto"
import { request } from "node:http"
import { AccessPolicy, Actor, CurrentActor, Users } from "@errata/core"
import { UserStore } from "@errata/core/ports"
import { Context, Effect, Redacted } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { changedStores } from "../support/changedStores.js"
import { adminKey, memberKey, start, type TestInstance } from "../support/TestInstance.js"
import { until } from "../support/until.js"

const rest = "/api/service/v1"

const sha1 = (content: string) => createHash("sha1").update(content).digest("hex")

/** Stores that report each lookup of a key, which is as slow as in a database. */
const countingStores = (found: () => void) =>
  changedStores((stores) => {
    const users = Context.get(stores, UserStore)
    return Context.add(stores, UserStore, {
      ...users,
      findByApiKeyHash: (hash) =>
        Effect.promise(() => new Promise(setImmediate)).pipe(
          Effect.andThen(users.findByApiKeyHash(hash)),
          Effect.tap(() => Effect.sync(found)),
        ),
    })
  })

describe.each(["node", "web"] as const)(
  "A body that arrives after its sender has lost access (%s)",
  (transport) => {
    let errata: TestInstance
    let authenticated = 0

    beforeAll(async () => {
      errata = await start(
        { transport },
        countingStores(() => authenticated++),
      )
    })
    afterAll(() => errata.stop())

    /** Sends a body whose rest waits for `meanwhile`, which starts after the key was looked up. */
    const sendSlowly = async (
      options: {
        readonly method: string
        readonly path: string
        readonly key: string
        readonly body: string
        readonly contentType?: string
      },
      meanwhile: () => Promise<unknown>,
    ) => {
      const before = authenticated
      const bytes = new TextEncoder().encode(options.body)
      let sent = false
      const body = new ReadableStream<Uint8Array>({
        start: (controller) => controller.enqueue(bytes.subarray(0, 1)),
        pull: async (controller) => {
          if (sent) return
          sent = true
          await until(() => authenticated > before, "the look-up of the key")
          await meanwhile()
          controller.enqueue(bytes.subarray(1))
          controller.close()
        },
      })
      const init = {
        method: options.method,
        headers: {
          authorization: `Bearer ${options.key}`,
          "content-type": options.contentType ?? "application/json",
        },
        body,
        duplex: "half",
      } as RequestInit
      return errata.fetch(options.path, init)
    }

    it("does nothing for a member who was removed from the project", async () => {
      const { group_id } = await errata.report({ message: "membership" })
      const notes = `/projects/${errata.mine.id}/groups/${group_id}/notes`
      const members = `/projects/${errata.mine.id}/users`
      const sent = await sendSlowly(
        { method: "POST", path: rest + notes, key: memberKey, body: '{"content":"too late"}' },
        () => errata.api(`${members}/${errata.memberId}`, { method: "DELETE" }),
      )
      expect(sent.status).toBe(404)
      expect((await errata.api(notes)).json.notes).toEqual([])
      await errata.api(members, { method: "POST", body: { user_id: errata.memberId } })
    })

    it("does nothing for an admin who was deactivated", async () => {
      const key = "errata_second_0123456789abcdef"
      const { user: second } = await errata.run(
        Effect.gen(function* () {
          return yield* (yield* Users).create(yield* AccessPolicy.instance("users.administer"), {
            name: "second",
            emailAddress: "second@example.com",
            role: "admin",
            apiKey: Redacted.make(key),
          })
        }).pipe(Effect.provideService(CurrentActor, Actor.System())),
      )
      const sent = await sendSlowly(
        { method: "PATCH", path: `${rest}/users/${errata.memberId}`, key, body: '{"role":"admin"}' },
        () => errata.api(`/users/${second.id}`, { method: "DELETE" }),
      )
      expect(sent.status).toBe(401)
      expect((await errata.api(`/users/${errata.memberId}`)).json.role).toBe("member")
    })

    const releases = "/api/0/organizations/o/releases/"
    const chunk = [
      "--x",
      'Content-Disposition: form-data; name="file"; filename="SHA"',
      "",
      "late",
      "--x--",
      "",
    ]
    const file = [
      "--x",
      'Content-Disposition: form-data; name="file"; filename="a.js"',
      "",
      "late",
      "--x--",
      "",
    ]
    const uploads = [
      ["POST", releases, '{"version":"late","projects":["mine"]}', undefined],
      ["PUT", `${releases}1.0/`, '{"ref":"late","projects":["mine"]}', undefined],
      ["POST", `${releases}1.0/deploys/`, '{"environment":"late","projects":["mine"]}', undefined],
      [
        "POST",
        "/api/0/organizations/o/artifactbundle/assemble/",
        `{"checksum":"${sha1("late")}","chunks":["${sha1("late")}"],"projects":["mine"]}`,
        undefined,
      ],
      ["POST", "/api/0/projects/o/mine/files/difs/assemble/", `{"${sha1("late")}":{"chunks":[]}}`, undefined],
      ["POST", `${releases}1.0/files/`, file.join("\r\n"), "multipart/form-data; boundary=x"],
      [
        "POST",
        "/api/0/organizations/o/chunk-upload/",
        chunk.join("\r\n").replace("SHA", sha1("late")),
        "multipart/form-data; boundary=x",
      ],
    ] as const

    it.each(uploads)(
      "uploads nothing for users who lost access meanwhile: %s %s",
      async (method, path, body, contentType) => {
        await errata.fetch(releases, {
          method: "POST",
          headers: { authorization: `Bearer ${adminKey}` },
          body: '{"version":"1.0","projects":["mine"]}',
        })
        const options = { method, path, body, ...(contentType === undefined ? {} : { contentType }) }
        const all = `/projects/${errata.mine.id}`
        const state = async () => [
          (await errata.api(`${all}/releases`)).json,
          (await errata.api(`${all}/artifact_bundles`)).json,
        ]
        const before = await state()

        const key = `errata_third_${sha1(method + path)}`
        const { user } = await errata.run(
          Effect.gen(function* () {
            return yield* (yield* Users).create(yield* AccessPolicy.instance("users.administer"), {
              name: "third",
              emailAddress: `${sha1(path + method)}@example.com`,
              role: "admin",
              apiKey: Redacted.make(key),
            })
          }).pipe(Effect.provideService(CurrentActor, Actor.System())),
        )
        const sent = await sendSlowly({ ...options, key }, () =>
          errata.api(`/users/${user.id}`, { method: "DELETE" }),
        )
        expect([sent.status, sent.json.detail]).toEqual([401, "Invalid API key"])

        const removed = await sendSlowly({ ...options, key: memberKey }, () =>
          errata.api(`${all}/users/${errata.memberId}`, { method: "DELETE" }),
        )
        // A chunk belongs to its sender, not to a project.
        expect(removed.status).toBe(path.endsWith("chunk-upload/") ? 200 : 400)
        await errata.api(`${all}/users`, { method: "POST", body: { user_id: errata.memberId } })
        expect(await state()).toEqual(before)
      },
    )

    it("is accepted if its sender keeps access", async () => {
      const name = `slow ${transport}`
      const sent = await sendSlowly(
        { method: "POST", path: `${rest}/projects`, key: adminKey, body: JSON.stringify({ name }) },
        () => Promise.resolve(),
      )
      expect([sent.status, sent.json.name]).toEqual([201, name])
    })
  },
)

describe("A body that comes with its request", () => {
  let errata: TestInstance
  let authenticated = 0

  beforeAll(async () => {
    errata = await start(
      {},
      countingStores(() => authenticated++),
    )
  })
  afterAll(() => errata.stop())

  it("needs one lookup of the sender's key", async () => {
    const body = JSON.stringify({ name: "at once" })
    const status = await new Promise<number | undefined>((resolve, reject) => {
      const outgoing = request({
        host: "127.0.0.1",
        port: errata.port,
        method: "POST",
        path: "/api/service/v1/projects",
        headers: {
          authorization: `Bearer ${adminKey}`,
          "content-type": "application/json",
          "content-length": body.length,
        },
        agent: false,
      })
      outgoing.on("response", (response) => resolve(response.resume().statusCode))
      outgoing.on("error", reject)
      // In one packet with the headers.
      outgoing.end(body)
    })
    expect([status, authenticated]).toEqual([201, 1])
  })
})
