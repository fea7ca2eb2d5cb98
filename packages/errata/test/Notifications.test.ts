/** Targets of the application's own in an instance inside of it. */
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import {
  createErrata,
  ErrataStartError,
  ForbiddenError,
  HttpTarget,
  memory,
  type NotificationContent,
  NotificationFailed,
  type NotificationTarget,
  ValidationError,
} from "../src/index.js"
import { createTestErrata } from "../src/testing/index.js"
import { failureOf, instances } from "./support/Instances.js"

const field = {
  name: "room",
  label: "Room",
  description: "The name of a room.",
  isSecret: false,
  isRequired: true,
  placeholder: "kitchen",
}

const board = (sent: Array<{ readonly room: string; readonly content: NotificationContent }>) =>
  ({
    kind: "board",
    label: "Board",
    fields: [field, { ...field, name: "pin", isSecret: true }],
    check: ({ room }): Record<string, string> => (room === "attic" ? { room: "does not exist" } : {}),
    send: (content, { pin, room = "" }) =>
      pin === "1234"
        ? Effect.sync(() => {
            sent.push({ room, content })
            return { status: null }
          })
        : new NotificationFailed({
            detail: "the pin is wrong",
            isRetryable: false,
            retryAfterMs: null,
            status: 403,
            isBounced: false,
          }),
  }) satisfies NotificationTarget

describe("a target of the application's own", () => {
  it("receives the notifications of its project", async () => {
    const sent: Array<{ readonly room: string; readonly content: NotificationContent }> = []
    const errata = await createTestErrata({ notifications: [board(sent)] })
    const { id } = errata.project
    expect((await errata.targets.kinds()).kinds).toMatchObject([{ kind: "board", requires_base_url: false }])
    const target = await errata.targets.create(id, {
      kind: "board",
      name: "Kitchen board",
      address: { room: "kitchen", pin: "1234" },
    })
    expect(target).toMatchObject({ address: { room: "kitchen" }, secret_fields: ["pin"] })
    expect(await errata.notified()).toEqual([])
    const [first, second] = Array.from({ length: 2 }, () => new RangeError("no cups"))
    await errata.capture(first)
    expect(await errata.notified()).toMatchObject([
      { status: "succeeded", target_name: "Kitchen board", title: "RangeError: no cups", attempts: 1 },
    ])
    expect(sent).toMatchObject([
      { room: "kitchen", content: { kind: "alert", group: { errorType: "RangeError" } } },
    ])
    // A known group is no news.
    await errata.capture(second)
    expect(await errata.notified()).toHaveLength(1)
    await errata.targets.update(id, target.id, { address: { pin: "4321" } })
    await errata.capture(new TypeError("no tea"))
    expect((await errata.notified()).at(-1)).toMatchObject({
      status: "failed",
      response_status: 403,
      error: "the pin is wrong",
    })
    await errata.close()
  })

  it("checks its addresses, by the names of its fields", async () => {
    const errata = await createTestErrata({ notifications: [board([])] })
    const { id } = errata.project
    const input = { kind: "board", name: "Attic", address: { room: "attic", pin: "1" } }
    const refused = await failureOf(errata.targets.create(id, input))
    expect(refused).toBeInstanceOf(ValidationError)
    expect(refused).toMatchObject({ errors: { "address.room": ["does not exist"] } })
    await errata.close()
  })

  it("works beside targets that adapters provide, over HTTP as well", async () => {
    const { Layer } = await import("effect")
    const { NotificationTargets } = await import("@errata/core/ports")
    const web = HttpTarget.make({
      kind: "web",
      label: "Web",
      fields: [],
      requiresBaseUrl: false,
      check: () => ({}),
      request: () => ({ url: "http://127.0.0.1:9/", body: {} }),
    })
    const errata = await createTestErrata({
      adapters: Layer.succeed(NotificationTargets, [web]),
      notifications: [board([])],
    })
    const { id } = errata.project
    expect((await errata.targets.kinds()).kinds.map(({ kind }) => kind)).toEqual(["web", "board"])
    await errata.targets.create(id, { kind: "web", name: "Web", address: {} })
    await errata.capture(new Error("a"))
    expect(await errata.notified()).toMatchObject([
      {
        status: "failed",
        error: "the receiver's address is not public (see ERRATA_ALLOW_PRIVATE_ADDRESSES)",
      },
    ])
    await errata.close()
  })

  it("must have a valid and unique kind", async () => {
    const wrong: ReadonlyArray<unknown> = [
      ...["", "Board", "a".repeat(31), "webhook", "members", 5].map((kind) => [{ ...board([]), kind }]),
      [board([]), board([])],
      [{ ...board([]), send: undefined }],
      [{ ...board([]), fields: [{ ...field, name: "The room" }] }],
      [null],
      board([]),
    ]
    for (const notifications of wrong) {
      const failure = await failureOf(
        createErrata({
          storage: memory(),
          notifications: notifications as ReadonlyArray<NotificationTarget>,
        }),
      )
      expect(failure).toBeInstanceOf(ErrataStartError)
      expect((failure as Error).message).toContain("the option notifications must be")
    }
  })
})

describe("the mail settings of an instance", () => {
  const make = instances()

  it("exist for people only, not for the instance itself", async () => {
    const errata = await make()
    const { id } = errata.project
    expect(await failureOf(errata.mailSettings.get(id))).toBeInstanceOf(ForbiddenError)
    const user = await errata.users.create({ email_address: "ann@example.com", role: "admin" })
    expect(await errata.asUser(user.id).mailSettings.update(id, { mode: "assigned" })).toEqual({
      mode: "assigned",
      digest: "never",
      mail: false,
    })
  })
})
