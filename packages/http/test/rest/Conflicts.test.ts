import { StorageError } from "@errata/core"
import { GroupStore } from "@errata/core/ports"
import { Context, Effect } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { changedStores } from "../support/changedStores.js"
import { start, type TestInstance } from "../support/TestInstance.js"

describe("A conflict with another transaction", () => {
  let errata: TestInstance
  let conflicts = 0

  beforeAll(async () => {
    errata = await start(
      {},
      changedStores((stores) => {
        const groups = Context.get(stores, GroupStore)
        /** Fails with a conflict while `conflicts` is positive. */
        const raced = <A>(lock: Effect.Effect<A, StorageError>): Effect.Effect<A, StorageError> =>
          Effect.suspend(() =>
            conflicts > 0
              ? Effect.andThen(
                  Effect.sync(() => conflicts--),
                  new StorageError({ operation: "lock", reason: "conflict", cause: new Error("deadlock") }),
                )
              : lock,
          )
        return Context.add(stores, GroupStore, {
          ...groups,
          lock: (...args) => raced(groups.lock(...args)),
          lockToMerge: (...args) => raced(groups.lockToMerge(...args)),
        })
      }),
    )
  })
  afterAll(() => errata.stop())

  it.each([
    ["resolve", undefined, 204],
    ["mute", undefined, 204],
    ["notes", { content: "raced" }, 201],
    ["bulk_resolve", { group_ids: [1] }, 200],
    ["bulk_merge", { group_ids: [999_999] }, 200],
  ] as const)("is retried: %s", async (action, body, status) => {
    const { group_id } = await errata.report({ message: "raced", fingerprint: [action] })
    conflicts = 1
    const answer = await errata.api(`/projects/${errata.mine.id}/groups/${group_id}/${action}`, {
      method: "POST",
      ...(body === undefined ? {} : { body }),
    })
    expect([answer.status, conflicts]).toEqual([status, 0])
  })
})
