/** The REST client for programs that use Effect. */

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

/** The address of the instance, and the API key. */
export interface ErrataClientOptions {
  /** Base URL of the instance, e.g. `https://errata.example.com`. */
  readonly baseUrl: string | URL
  readonly apiKey: Redacted.Redacted
  /** Service name in the instance's paths. Default: `service`. */
  readonly serviceName?: string
  /** Timeout of each attempt. Default: 30 seconds. */
  readonly timeout?: Duration.Input
  readonly retries?: RetryOptions
}

/**
 * Calls are retried after 429 and 503, as `Retry-After` says, and after connection failures of idempotent methods (GET,
 * PUT, DELETE). Timeouts are not retried.
 */
export interface RetryOptions {
  /** Maximum number of retries. Default: 3; 0 disables them. */
  readonly times?: number
  /** Maximum total wait of a call between attempts. Default: 30 seconds. */
  readonly maxTotalWait?: Duration.Input
  /** First wait if the server sends no `Retry-After`. Default: 500 ms. It doubles with each retry, with 50 % jitter. */
  readonly firstBackoff?: Duration.Input
}

/** The failures of a call: the problems in the contract, each with its `_tag`, and failures without an API response. */
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
      /** All items of `list`. Pages are requested on demand. */
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
  /** Dies if the base URL or the key is invalid. */
  static readonly make = (
    options: ErrataClientOptions,
  ): Effect.Effect<ErrataClient["Service"], never, HttpClient.HttpClient> => make(options)

  static readonly layer = (
    options: ErrataClientOptions,
  ): Layer.Layer<ErrataClient, never, HttpClient.HttpClient> => Layer.effect(ErrataClient, make(options))

  /** Uses `fetch`. Redirects are not followed: `fetch` would turn a POST into a GET. */
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

/** Builds the groups from the contract, which also types them. */
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
