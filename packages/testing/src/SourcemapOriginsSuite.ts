import type { Project } from "@errata/core"
import { SourcemapStore, Storage } from "@errata/core/ports"
import { Effect, Option } from "effect"
import { expect } from "vitest"
import { type ContractSuite, contractCase, onSecondNode } from "./ContractCase.js"
import * as Factory from "./Factory.js"
import * as Given from "./Given.js"
import { withOrigins } from "./internal/Origins.js"
import { idOf, readPages } from "./internal/Paging.js"

const insert = (project: Project, origin: string) =>
  Effect.flatMap(SourcemapStore, (origins) => origins.insertOrigin(project.id, origin, Factory.noon))

const origin = (number: number) => `https://cdn${number}.example.com`

const create = (project: Project, text: string) =>
  withOrigins(project.id, (origins, authorized) => origins.create(authorized, text))

export const sourcemapOriginsSuite: ContractSuite = {
  name: "SourcemapStore origins",
  cases: [
    contractCase(
      "keeps an origin as it was inserted, by project",
      Effect.gen(function* () {
        const origins = yield* SourcemapStore
        const mine = yield* Given.project()
        const theirs = yield* Given.project()
        const inserted = yield* Effect.fromOption(yield* insert(mine, origin(1)))
        expect(inserted).toMatchObject({
          projectId: mine.id,
          origin: origin(1),
          createdAt: Factory.noon,
          updatedAt: Factory.noon,
        })
        const page = { limit: 10, cursor: null }
        expect((yield* origins.listOrigins(mine.id, page)).items).toEqual([inserted])
        expect((yield* origins.listOrigins(theirs.id, page)).items).toEqual([])
      }),
    ),

    contractCase(
      "keeps an origin once a project",
      Effect.gen(function* () {
        const mine = yield* Given.project()
        yield* insert(mine, origin(1))
        expect(Option.isNone(yield* insert(mine, origin(1)))).toBe(true)
        expect(Option.isNone(yield* onSecondNode(insert(mine, origin(1))))).toBe(true)
        expect(Option.isSome(yield* insert(yield* Given.project(), origin(1)))).toBe(true)
      }),
    ),

    contractCase(
      "lists origins newest first, page by page",
      Effect.gen(function* () {
        const origins = yield* SourcemapStore
        const project = yield* Given.project()
        const ids: Array<number> = []
        for (let i = 0; i < 5; i++) ids.push((yield* Effect.fromOption(yield* insert(project, origin(i)))).id)
        const pages = yield* readPages(
          2,
          (page) => origins.listOrigins(project.id, page),
          Effect.suspend(() => insert(project, origin(100 + ids.push(0)))),
        )
        const [a, b, c, d, e] = ids
        expect(pages.map((page) => page.map(idOf))).toEqual([[e, d], [c, b], [a]])
      }),
    ),

    contractCase(
      "removes an origin of the project, once",
      Effect.gen(function* () {
        const origins = yield* SourcemapStore
        const mine = yield* Given.project()
        const theirs = yield* Given.project()
        const { id } = yield* Effect.fromOption(yield* insert(mine, origin(1)))
        expect(yield* origins.removeOrigin(theirs.id, id)).toBe(false)
        expect((yield* origins.listOrigins(mine.id, { limit: 10, cursor: null })).items.map(idOf)).toEqual([
          id,
        ])
        expect(yield* origins.removeOrigin(mine.id, id)).toBe(true)
        expect(yield* origins.removeOrigin(mine.id, id)).toBe(false)
        expect(Option.isSome(yield* insert(mine, origin(1)))).toBe(true)
      }),
    ),

    contractCase(
      "counts the origins of a project",
      Effect.gen(function* () {
        const { transaction } = yield* Storage
        const origins = yield* SourcemapStore
        const project = yield* Given.project()
        yield* insert(yield* Given.project(), origin(1))
        const count = transaction(origins.lockOriginCount(project.id))
        expect(yield* count).toBe(0)
        const { id } = yield* Effect.fromOption(yield* insert(project, origin(1)))
        yield* insert(project, origin(2))
        expect(yield* count).toBe(2)
        yield* origins.removeOrigin(project.id, id)
        expect(yield* count).toBe(1)
      }),
    ),

    contractCase(
      "allows at most ten origins under concurrent inserts",
      Effect.gen(function* () {
        const project = yield* Given.project()
        for (let i = 0; i < 9; i++) yield* create(project, origin(i))
        const tries = yield* Effect.all(
          [10, 11, 12, 13].map((number) => {
            const attempt = Effect.result(create(project, origin(number)))
            return number % 2 === 0 ? attempt : onSecondNode(attempt)
          }),
          { concurrency: "unbounded" },
        )
        expect(tries.filter(({ _tag }) => _tag === "Success")).toHaveLength(1)
        const refused = tries.flatMap((result) => (result._tag === "Failure" ? [result.failure] : []))
        expect(refused).toMatchObject(
          Array.from({ length: 3 }, () => ({
            errors: { origin: ["can't be added: a project has at most 10 origins"] },
          })),
        )
      }),
    ),

    contractCase(
      "adds an origin once in its canonical form, for any notation",
      Effect.gen(function* () {
        const project = yield* Given.project()
        expect((yield* create(project, " HTTPS://CDN.Example.com:443/ ")).origin).toBe(
          "https://cdn.example.com",
        )
        const again = yield* Effect.flip(create(project, "https://cdn.example.com."))
        expect(again).toMatchObject({ errors: { origin: ["has already been taken"] } })
      }),
    ),
  ],
}
