/** The inputs of calls within the process, which read no contract, are those of the contract. */
import { Exit, Schema } from "effect"
import { HttpApi } from "effect/http-api"
import { describe, expect, it } from "vitest"
import { makeErrataApi } from "../src/index.js"
import { pathParam } from "../src/Params.js"
import { queryOf } from "../src/Queries.js"

interface Endpoint {
  readonly group: string
  readonly name: string
  readonly params: Schema.Codec<unknown, unknown> | undefined
  readonly query: Schema.Codec<unknown, unknown> | undefined
  readonly path: string
}

const contract: Array<Endpoint> = []
HttpApi.reflect(makeErrataApi(), {
  onGroup: () => {},
  onEndpoint: ({ endpoint, group }) => {
    contract.push({
      group: group.identifier,
      name: endpoint.identifier,
      params: endpoint.params as Endpoint["params"],
      query: endpoint.query as Endpoint["query"],
      path: endpoint.path,
    })
  },
})

const decoded = (schema: Schema.Codec<unknown, unknown>, input: unknown): string =>
  Exit.match(Schema.decodeUnknownExit(schema)(input), {
    onSuccess: (value) => JSON.stringify(value),
    onFailure: String,
  })

const texts = ["", "0", "1", "01", "-1", "1.5", "1,2", "0x1", "true", "24h", "2026-01-02", "day", "errors"]

const queries = [
  {},
  ...["limit", "cursor", "name", "version", "query", "status", "resolved", "since", "until", "sort"]
    .concat(["project_ids", "group_ids", "step", "prefix", "frames", "include", "event", "success", "kind"])
    .flatMap((key) =>
      [...texts, "unresolved", "reports_count", "raw", "navigation", "group.created", "a".repeat(300)].map(
        (text) => ({ [key]: text }),
      ),
    ),
]

const label = ({ group, name }: Endpoint) => `${group}.${name}`

describe("the inputs of a call", () => {
  it.each(contract.filter(({ query }) => query !== undefined).map((each) => [label(each), each] as const))(
    "%s has the query of the contract",
    (_, { group, name, query }) => {
      for (const input of queries) {
        expect([input, decoded(queryOf(group, name), input)]).toEqual([input, decoded(query!, input)])
      }
    },
  )

  it.each(contract.filter(({ params }) => params !== undefined).map((each) => [label(each), each] as const))(
    "%s has the path of the contract",
    (_, { params, path }) => {
      const names = Array.from(path.matchAll(/:(\w+)/g), ([, name = ""]) => name)
      for (const text of texts) {
        const input = Object.fromEntries(names.map((name) => [name, text]))
        const own = Schema.Struct(Object.fromEntries(names.map((name) => [name, pathParam(name)])))
        expect([text, decoded(own, input)]).toEqual([text, decoded(params!, input)])
      }
    },
  )
})
