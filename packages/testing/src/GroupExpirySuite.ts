/** Work on many groups: in batches, and on expired mutes. */
import type { Group } from "@errata/core"
import { GroupStore, Storage } from "@errata/core/ports"
import { DateTime, Effect } from "effect"
import { expect } from "vitest"
import { type ContractSuite, contractCase, onSecondNode } from "./ContractCase.js"
import * as Factory from "./Factory.js"
import * as Given from "./Given.js"
import { idOf } from "./internal/Paging.js"

const later = DateTime.add(Factory.noon, { hours: 1 })

export const groupExpirySuite: ContractSuite = {
  name: "GroupStore sweeps",
  cases: [
    contractCase(
      "locks the groups of a project in batches",
      Effect.gen(function* () {
        const { transaction } = yield* Storage
        const groups = yield* GroupStore
        const project = yield* Given.project()
        const made: Array<Group> = []
        for (let i = 0; i < 5; i++) {
          made.push(yield* Given.group(project.id))
          yield* Given.group((yield* Given.project()).id)
        }
        const [a, b, c, d, e] = made
        yield* Given.merge(a!, c!)
        const next = (after: number) => transaction(groups.lockNext(project.id, after, 2))
        expect((yield* next(0)).map(idOf)).toEqual([a!.id, b!.id])
        expect((yield* next(b!.id)).map(idOf)).toEqual([d!.id, e!.id])
        expect(yield* next(e!.id)).toEqual([])
      }),
    ),

    contractCase(
      "locks only groups whose mutes have expired",
      Effect.gen(function* () {
        const { transaction } = yield* Storage
        const groups = yield* GroupStore
        const project = yield* Given.project()
        const mutedUntil = (until: DateTime.Utc) => ({
          mute: { at: Factory.noon, by: null, condition: { _tag: "Until", until } as const },
        })
        const inherited = (until: DateTime.Utc | null) => ({
          projectMute: { at: Factory.noon, by: null, until },
        })
        const before = DateTime.subtract(later, { milliseconds: 1 })
        const after = DateTime.add(later, { milliseconds: 1 })
        const given = (fields: Partial<Group>) => Given.group(project.id, {}, () => fields)
        const over = [
          yield* given(mutedUntil(before)),
          yield* given(mutedUntil(later)),
          yield* given(inherited(later)),
          yield* given({ ...mutedUntil(after), ...inherited(before) }),
          yield* given({ ...mutedUntil(before), ...inherited(null) }),
        ]
        const others = [
          yield* given({}),
          yield* given(mutedUntil(after)),
          yield* given(inherited(after)),
          yield* given(inherited(null)),
          yield* given({ mute: { at: Factory.noon, by: null, condition: { _tag: "Permanent" } } }),
          yield* given({
            mute: { at: Factory.noon, by: null, condition: { _tag: "UntilReportsCount", reportsCount: 1 } },
          }),
        ]
        const merged = yield* given(mutedUntil(before))
        yield* Given.merge(others[0]!, merged)
        const expired = Effect.map(transaction(groups.lockExpiredMutes(later, 10_000)), (found) =>
          found
            .filter((group) => group.projectId === project.id)
            .map(idOf)
            .sort((a, b) => a - b),
        )
        expect(yield* expired).toEqual(over.map(idOf))
        expect(yield* transaction(groups.lockExpiredMutes(later, 2))).toHaveLength(2)
        yield* groups.save(over.map((group) => Given.changeGroup(group, { mute: null, projectMute: null })))
        expect(yield* expired).toEqual([])
      }),
    ),

    contractCase(
      "lets two nodes clear mutes at the same time, each group once",
      Effect.gen(function* () {
        const project = yield* Given.project()
        const until = Factory.noon
        const made: Array<Group> = []
        for (let i = 0; i < 6; i++) {
          made.push(
            yield* Given.group(project.id, {}, () => ({
              mute: { at: until, by: null, condition: { _tag: "Until", until } },
            })),
          )
        }
        const expire = Effect.gen(function* () {
          const { transaction } = yield* Storage
          const groups = yield* GroupStore
          return yield* transaction(
            Effect.gen(function* () {
              const locked = yield* groups.lockExpiredMutes(later, 10_000)
              yield* groups.save(locked.map((group) => Given.changeGroup(group, { mute: null })))
              return locked.map(idOf)
            }),
          )
        })
        const locked = yield* Effect.all([expire, onSecondNode(expire)], { concurrency: "unbounded" })
        const own = locked.flat().filter((id) => made.some((group) => group.id === id))
        expect(own.sort((a, b) => a - b)).toEqual(made.map(idOf))
      }),
    ),
  ],
}
