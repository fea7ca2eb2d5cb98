/** Both clients reach every endpoint of the contract with the same requests, and decode its responses. */

import { Arbitrary, Effect, Redacted, Schema } from "effect"
import { HttpApi, HttpApiSchema } from "effect/http-api"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { ErrataClient } from "../../src/client/index.js"
import { makeErrataApi } from "../../src/index.js"
import { createErrataClient } from "../../src/promise/index.js"
import { routes } from "../../src/surface/Endpoints.js"
import { bytes, type FakeServer, json, noContent, startFakeServer } from "../support/FakeServer.js"
import { calls } from "./calls.js"
import { endpointsFile } from "./EndpointsFile.js"
import { reportDetail } from "./reportDetail.js"
import { typesFile } from "./TypesFile.js"

interface Endpoint {
  readonly group: string
  readonly name: string
  readonly method: string
  readonly path: string
  readonly status: number
  /** Null without a body. */
  readonly success: Schema.Codec<unknown> | null
  readonly errors: ReadonlyArray<number>
  readonly hasPath: boolean
  readonly hasInput: boolean
}

const contract: Array<Endpoint> = []
HttpApi.reflect(makeErrataApi("service"), {
  onGroup: () => {},
  onEndpoint: ({ endpoint, errors, group, successes }) => {
    const [[status, [schema]]] = Array.from(successes) as [[number, [Schema.Codec<unknown>]]]
    contract.push({
      group: group.identifier,
      name: endpoint.identifier,
      method: endpoint.method,
      path: endpoint.path,
      status,
      success: HttpApiSchema.isNoContent(schema.ast) ? null : schema,
      errors: Array.from(errors.keys()),
      hasPath: endpoint.params !== undefined,
      hasInput: endpoint.payload.size > 0 || endpoint.query !== undefined,
    })
  },
})

type Named<A> = Readonly<Record<string, A>>
type Callable<A> = Named<Named<(...args: ReadonlyArray<unknown>) => A>>

const argsOf = ({ group, name }: Endpoint): ReadonlyArray<unknown> =>
  (calls as unknown as Named<Named<ReadonlyArray<unknown>>>)[group]![name]!

const label = ({ group, name }: Endpoint) => `${group}.${name}`

describe("the surface", () => {
  let server: FakeServer
  beforeAll(async () => {
    server = await startFakeServer()
  })
  afterAll(() => server.stop())

  const viaEffect = (endpoint: Endpoint, args: ReadonlyArray<unknown>): Promise<unknown> =>
    Effect.runPromise(
      Effect.flatMap(ErrataClient, (errata) =>
        (errata as unknown as Callable<Effect.Effect<unknown>>)[endpoint.group]![endpoint.name]!(...args),
      ).pipe(
        Effect.provide(ErrataClient.layerFetch({ baseUrl: server.url, apiKey: Redacted.make("errata_key") })),
      ),
    )

  const viaPromise = (endpoint: Endpoint, args: ReadonlyArray<unknown>): Promise<unknown> => {
    const errata = createErrataClient({ baseUrl: server.url, apiKey: "errata_key" })
    const answer = (errata as unknown as Callable<unknown>)[endpoint.group]![endpoint.name]!(...args)
    return endpoint.name === "list"
      ? (answer as { page: () => Promise<unknown> }).page()
      : (answer as Promise<unknown>)
  }

  it("is generated from the contract", () =>
    Promise.all([
      expect(endpointsFile()).toMatchFileSnapshot("../../src/surface/Endpoints.ts"),
      expect(typesFile()).toMatchFileSnapshot("../../src/surface/Types.ts"),
    ]))

  it("has exactly the endpoints of the contract", () => {
    const names = contract.map(label).sort()
    expect(names.length).toBeGreaterThan(50)
    for (const table of [routes, calls] as unknown as ReadonlyArray<Named<Named<unknown>>>) {
      expect(
        Object.entries(table)
          .flatMap(([group, endpoints]) => Object.keys(endpoints).map((name) => `${group}.${name}`))
          .sort(),
      ).toEqual(names)
    }
  })

  it.each(contract.map((endpoint) => [label(endpoint), endpoint] as const))(
    "%s sends the same request and reads the same response in both clients",
    async (_, endpoint) => {
      const answer = sample(endpoint)
      server.answers(
        answer === undefined
          ? noContent
          : answer instanceof Uint8Array
            ? bytes(answer)
            : json(endpoint.status, answer),
      )
      const args = argsOf(endpoint)
      const decoded = await viaEffect(endpoint, args)
      const plain = await viaPromise(endpoint, args)

      const [first, second] = server.asked.map(({ body, headers, method, url }) => ({
        method,
        url,
        body,
        accept: headers["accept"],
        authorization: headers["authorization"],
        contentType: headers["content-type"],
      }))
      expect(first).toEqual(second)
      expect(first!.authorization).toBe("Bearer errata_key")
      expect(first!.accept).toBe("application/json")
      expect(first!.contentType).toBe(first!.body === "" ? undefined : "application/json")
      expect(first!.method).toBe(endpoint.method)
      expect(first!.url.split("?")[0]).toMatch(
        new RegExp(`^${endpoint.path.replace(/:\w+/g, "(\\d+|[0-9a-fA-F]{32}|odd%2Fkey[^/]*)")}$`),
      )

      expect(plain).toEqual(answer)
      if (endpoint.success === null) expect(decoded).toBeUndefined()
      else expect(Schema.encodeUnknownSync(endpoint.success)(decoded)).toEqual(answer)
    },
  )

  // Clients fail for requests that do not pass their schema with the problem that the server would send.
  it.each(contract.map((endpoint) => [label(endpoint), endpoint] as const))(
    "%s declares the problems of its path and input",
    (_, { errors, hasInput, hasPath }) => {
      expect(errors).toEqual(expect.arrayContaining([401, 500, 503]))
      if (hasPath) expect(errors).toContain(404)
      if (hasInput) expect(errors).toContain(422)
    },
  )
})

// internal

/** A response that the contract allows, the same in every run. Undefined without a body. */
const sample = ({ group, name, success }: Endpoint): unknown => {
  if (success === null) return undefined
  if (name === "getAttachment") return Uint8Array.of(0, 255, 10, 13)
  if (group === "reports" && ["get", "latest", "findByEventId", "findAnywhere"].includes(name))
    return reportDetail
  const [value] = Effect.runSync(Arbitrary.sampleEffect(Arbitrary.schema(success), { seed: 42, count: 1 }))
  return JSON.parse(JSON.stringify(Schema.encodeSync(success)(value)))
}
