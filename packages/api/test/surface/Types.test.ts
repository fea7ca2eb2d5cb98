/** The generated types are those of the contract's schemas. The comparisons happen at compile time. */
import { describe, expect, it } from "vitest"
import type * as Contract from "../../src/internal/Contract.js"
import type { Timestamp } from "../../src/Json.js"
import type * as Problem from "../../src/Problem.js"
import type { ProblemCode } from "../../src/promise/index.js"
import type * as Names from "../../src/surface/Names.js"

/** JSON: timestamps are strings. */
type Wire<T> = T extends typeof Timestamp.Type
  ? string
  : T extends Uint8Array
    ? T
    : T extends ReadonlyArray<infer A>
      ? ReadonlyArray<Wire<A>>
      : T extends object
        ? { readonly [K in keyof T]: Wire<T[K]> }
        : T

/** Both ways, with the same keys. */
type IsSame<A, B> = [A] extends [B] ? ([B] extends [A] ? HasSameKeys<A, B> : false) : false

type HasSameKeys<A, B> = [keyof A] extends [keyof B] ? ([keyof B] extends [keyof A] ? true : false) : false

/** Every endpoint for which the two differ. */
type Different<Own, Given> = {
  [G in keyof Given]: {
    [E in keyof Given[G]]: G extends keyof Own
      ? E extends keyof Own[G]
        ? IsSame<Own[G][E], Given[G][E]> extends true
          ? never
          : [G, E]
        : [G, E]
      : [G, E]
  }[keyof Given[G]]
}[keyof Given]

type Table<Of extends "Path" | "Query" | "Body" | "Answer"> = {
  readonly [G in Names.GroupName]: {
    readonly [E in Names.EndpointName<G>]: {
      readonly Path: Names.Path<G, E>
      readonly Query: Names.Query<G, E>
      readonly Body: Names.Body<G, E>
      readonly Answer: Names.Answer<G, E>
    }[Of]
  }
}

type Given<Of extends "Path" | "Query" | "Body" | "Answer"> = {
  readonly [G in Contract.GroupName]: {
    readonly [E in Contract.EndpointName<G>]: {
      readonly Path: Contract.Path<G, E>
      readonly Query: Contract.Query<G, E>
      readonly Body: Contract.Body<G, E>
      readonly Answer: Wire<Contract.Success<G, E>>
    }[Of]
  }
}

const none = <Difference>(...differences: [Difference] extends [never] ? [] : [Difference]) =>
  expect(differences).toEqual([])

describe("the types without schemas", () => {
  it("have the groups of the contract", () => {
    none<Exclude<Contract.GroupName, Names.GroupName> | Exclude<Names.GroupName, Contract.GroupName>>()
  })

  it("have its paths, queries, bodies and answers", () => {
    none<Different<Table<"Path">, Given<"Path">>>()
    none<Different<Table<"Query">, Given<"Query">>>()
    none<Different<Table<"Body">, Given<"Body">>>()
    none<Different<Table<"Answer">, Given<"Answer">>>()
  })

  it("have its problems", () => {
    none<Exclude<Problem.Problem["_tag"] | "Problem", ProblemCode>>()
    none<Exclude<ProblemCode, Problem.Problem["_tag"] | "Problem">>()
  })
})
