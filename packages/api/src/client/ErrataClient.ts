/** The client of an instance for programs on Effect. */

import { Context, Duration, Effect, Layer, Record, Redacted, type Stream } from "effect"
import { FetchHttpClient, HttpClient } from "effect/http"
import { badApiKey, badBaseUrl, isApiKey, normalBaseUrl } from "../internal/BaseUrl.js"
import type { Problems, Success } from "../internal/Contract.js"
import type { Item, Page, PageQuery } from "../internal/Pages.js"
import { defaultPolicy } from "../internal/Retries.js"
import type { EndpointName, GroupName } from "../surface/Names.js"
import {
  type AliasName,
  type Arguments,
  type Call,
  type EndpointOf,
  type ListOf,
  mapSurface,
  type Surface,
} from "../surface/Surface.js"
import * as Calls from "./Calls.js"
import * as Pages from "./Pages.js"
import * as Transport from "./Transport.js"

/** Where the server is, and with which key to ask it. */
export interface ErrataClientOptions {
  /** Where the instance is, e.g. `https://errata.example.com`. */
  readonly baseUrl: string | URL
  readonly apiKey: Redacted.Redacted
  /** The name of the service in the instance's paths; `service` unless it was configured. */
  readonly serviceName?: string
  /** How long an answer may take; 30 seconds unless told. Each try has as long. */
  readonly timeout?: Duration.Input
  readonly retries?: RetryOptions
}

/**
 * When calls are tried again: after 429 and 503 as `Retry-After` says, and after faults of the transport where the
 * method may be repeated (GET, PUT, DELETE). Timeouts are final.
 */
export interface RetryOptions {
  /** How often at most; 3 unless told, 0 for never. */
  readonly times?: number
  /** How long at most a call waits between all its tries together; 30 seconds unless told. */
  readonly maxTotalWait?: Duration.Input
  /** The first wait where the server names none, half of it at random; 500 ms unless told, and twice as long each time. */
  readonly firstBackoff?: Duration.Input
}

/** How a call may fail: with the problems of the contract, each with its `_tag`, or without an answer of the API. */
export type Failure<G extends GroupName, E extends EndpointName<G>> =
  | Problems<G, E>
  | Transport.TransportFailure

type Endpoints<G extends GroupName> = {
  readonly [E in keyof Surface[G]]: E extends EndpointName<G> | AliasName<G>
    ? (...args: Arguments<G, E>) => Effect.Effect<Success<G, EndpointOf<G, E>>, Failure<G, EndpointOf<G, E>>>
    : never
}

type Streams<G extends GroupName> = [ListOf<G>] extends [never]
  ? unknown
  : {
      /** All that `list` answers, page after page as they are wanted. */
      readonly stream: (
        ...args: Arguments<G, ListOf<G>>
      ) => Stream.Stream<Item<Success<G, ListOf<G>>>, Failure<G, ListOf<G>>>
    }

/** The calls of a group of endpoints. */
export type GroupClient<G extends GroupName> = Endpoints<G> & Streams<G>

/**
 * The REST API of an instance.
 *
 * @example
 * ```ts
 * const program = Effect.gen(function* () {
 *   const errata = yield* ErrataClient
 *   yield* errata.groups.stream(1, { query: "is:unresolved timeout" }).pipe(
 *     Stream.runForEach((group) => errata.groups.resolve(1, group.id)),
 *   )
 * })
 * ```
 */
export class ErrataClient extends Context.Service<
  ErrataClient,
  { readonly [G in GroupName]: GroupClient<G> }
>()("@errata/api/client/ErrataClient") {
  /** Dies where the base URL or the key cannot be ones. */
  static readonly make = (
    options: ErrataClientOptions,
  ): Effect.Effect<ErrataClient["Service"], never, HttpClient.HttpClient> => make(options)

  static readonly layer = (
    options: ErrataClientOptions,
  ): Layer.Layer<ErrataClient, never, HttpClient.HttpClient> => Layer.effect(ErrataClient, make(options))

  /** On `fetch`. Redirects are not followed: they would turn changes into reads. */
  static readonly layerFetch = (options: ErrataClientOptions): Layer.Layer<ErrataClient> =>
    ErrataClient.layer(options).pipe(
      Layer.provide(FetchHttpClient.layer),
      Layer.provide(Layer.succeed(FetchHttpClient.RequestInit, { redirect: "manual" })),
    )
}

// internal

const make = (
  options: ErrataClientOptions,
): Effect.Effect<ErrataClient["Service"], never, HttpClient.HttpClient> =>
  Effect.gen(function* () {
    const baseUrl = normalBaseUrl(options.baseUrl.toString())
    if (baseUrl === null) return yield* Effect.die(new Error(badBaseUrl))
    const apiKey = Redacted.make(Redacted.value(options.apiKey).trim())
    if (!isApiKey(Redacted.value(apiKey))) return yield* Effect.die(new Error(badApiKey))
    const calls = yield* Calls.make({
      baseUrl,
      serviceName: options.serviceName,
      httpClient: Transport.make(yield* HttpClient.HttpClient, {
        apiKey,
        timeout: Duration.fromInputUnsafe(options.timeout ?? "30 seconds"),
        retries: {
          times: options.retries?.times ?? defaultPolicy.times,
          maxTotalWait: millis(options.retries?.maxTotalWait ?? defaultPolicy.maxTotalWait),
          firstBackoff: millis(options.retries?.firstBackoff ?? defaultPolicy.firstBackoff),
        },
      }),
    })
    return clientOf(calls)
  })

const millis = (duration: Duration.Input): number => Duration.toMillis(duration)

/** All endpoints at once. Their types are those of the contract. */
const clientOf = (calls: Calls.Calls): ErrataClient["Service"] =>
  mapSurface(
    ({ requestOf }, group, endpoint) => ({ requestOf, send: calls[group]![endpoint]! }),
    (endpoints) => {
      const { list } = endpoints
      const effects = Record.map(
        endpoints,
        ({ requestOf, send }) =>
          (...args: ReadonlyArray<unknown>) =>
            Effect.suspend(() => send(requestOf(...args))),
      )
      return list === undefined ? effects : { ...effects, stream: streamOf(list.requestOf, list.send) }
    },
  ) as unknown as ErrataClient["Service"]

const streamOf =
  (requestOf: Call["requestOf"], list: Calls.Call) =>
  (...args: ReadonlyArray<unknown>) => {
    const request = requestOf(...args)
    return Pages.stream(
      (query) => list({ ...request, urlParams: { ...query } }) as Effect.Effect<Page, unknown>,
      request.urlParams as PageQuery,
    )
  }
