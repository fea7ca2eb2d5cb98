import { it } from "@effect/vitest"
import { MemoryStorage } from "@errata/storage-memory"
import { Given } from "@errata/testing"
import { DateTime, Effect, Layer } from "effect"
import { describe, expect } from "vitest"
import { AccessPolicy, readAs, UserId } from "../../src/index.js"
import { UserStore } from "../../src/ports.js"

const layer = Layer.provideMerge(AccessPolicy.layer, MemoryStorage.layer)

describe("reading as a user", () => {
  it.effect("passes for members only", () =>
    Effect.gen(function* () {
      const project = yield* Given.project()
      const [member, stranger] = [yield* Given.member([project.id]), yield* Given.user()]
      const read = (id: UserId) =>
        readAs(id, "groups.read", project.id, ({ actor, project }) =>
          Effect.succeed([project.id, actor._tag]),
        )
      expect(yield* read(member.id)).toEqual([project.id, "Person"])
      expect(yield* Effect.flip(read(stranger.id))).toMatchObject({ _tag: "ProjectNotFound" })
      expect(yield* Effect.flip(read(UserId.make(999)))).toMatchObject({ _tag: "UserNotFound", user: "999" })
      const administered = readAs(member.id, "project.administer", project.id, () => Effect.void)
      expect(yield* Effect.flip(administered)).toMatchObject({ _tag: "AccessDenied" })

      const users = yield* UserStore
      yield* users.deactivate(member.id, yield* DateTime.now)
      expect(yield* Effect.flip(read(member.id))).toMatchObject({ _tag: "UserNotFound" })
    }).pipe(Effect.provide(layer)),
  )
})
