/** The REST client for programs that do not use Effect. It needs only `fetch`. */
import { apiPath } from "../ApiPath.js"
import { badApiKey, badBaseUrl, isApiKey, normalBaseUrl } from "../internal/BaseUrl.js"
import type { Item } from "../internal/Pages.js"
import { defaultPolicy, type RetryPolicy } from "../internal/Retries.js"
import type { Answer, EndpointName, GroupName } from "../surface/Names.js"
import {
  type AliasName,
  type Arguments,
  type Call,
  type EndpointOf,
  type ListOf,
  mapSurface,
  type Surface,
} from "../surface/Surface.js"
import { type Caller, makeCaller, realTime, type Send, sendOver, type Time } from "./Caller.js"
import type { CallOptions } from "./CallOptions.js"
import * as Credential from "./Credential.js"
import { type List, makeList } from "./List.js"

/** The address of the instance, and the credential. */
export type ErrataClientOptions = ConnectionOptions & CredentialOptions

/** The credential: an API key or a token. */
export type CredentialOptions =
  | {
      /** Starts with `errata_`. */
      readonly apiKey: string
      readonly authorization?: undefined
    }
  | {
      readonly apiKey?: undefined
      /**
       * Returns a token for `Authorization: Bearer`, e.g. the short-lived one of a browser session. The client calls it
       * before the first request and keeps the token until a request is rejected with 401. It then calls it once more,
       * and sends the request again if the token has changed. If it rejects, the call rejects with the same reason.
       */
      readonly authorization: () => Promise<string>
    }

/** The address of the instance, and the handling of requests. */
export interface ConnectionOptions {
  /** Base URL of the instance, e.g. `https://errata.example.com`. */
  readonly baseUrl: string | URL
  /** Service name in the instance's paths. Default: `service`. */
  readonly serviceName?: string | undefined
  /** Used in place of the global `fetch`. */
  readonly fetch?: typeof globalThis.fetch | undefined
  /** Timeout of each attempt in milliseconds. Default: 30,000. */
  readonly timeout?: number | undefined
  /**
   * Calls are retried after 429 and 503, as `Retry-After` says, and after connection failures of idempotent methods
   * (GET, PUT, DELETE). Timeouts are not retried. A number is short for `{ times }`; 0 disables retries.
   */
  readonly retries?: number | Partial<RetryPolicy> | undefined
}

/** The calls of a group of endpoints. */
export type GroupClient<G extends GroupName> = {
  readonly [E in keyof Surface[G]]: E extends ListOf<G>
    ? (...args: [...Arguments<G, E>, options?: CallOptions]) => List<Item<Answer<G, E>>, Answer<G, E>>
    : E extends EndpointName<G> | AliasName<G>
      ? (...args: [...Arguments<G, E>, options?: CallOptions]) => Promise<Answer<G, EndpointOf<G, E>>>
      : never
}

/**
 * The REST API of an instance. Responses are the documented JSON. Timestamps stay ISO 8601 strings; use `new
 * Date(group.last_occurred_at)` for a `Date`.
 */
export type ErrataClient = { readonly [G in GroupName]: GroupClient<G> }

/**
 * A client of the instance at a base URL, acting as the user whose key it has. Throws a TypeError where the base URL
 * or the key cannot be ones.
 *
 * @example
 * ```ts
 * const errata = createErrataClient({ baseUrl: "https://errata.example.com", apiKey: "errata_..." })
 * await errata.groups.resolve(1, 42)
 * for await (const group of errata.groups.list(1, { query: "is:unresolved" })) console.log(group.error_message)
 * ```
 */
export const createErrataClient = (options: ErrataClientOptions): ErrataClient =>
  makeClient(options, realTime)

/** `createErrataClient` with a given clock and random numbers. */
export const makeClient = (options: ErrataClientOptions, time: Time): ErrataClient => {
  const baseUrl = normalBaseUrl(String(options.baseUrl))
  if (baseUrl === null) throw new TypeError(badBaseUrl)
  const { retries } = options
  return clientOf(
    makeCaller(
      baseUrl + apiPath(options.serviceName ?? "service"),
      sendOver({
        credential: credentialOf(options),
        // Read at call time, since programs replace the global `fetch`.
        fetch: options.fetch ?? ((input, init) => globalThis.fetch(input, init)),
        timeout: options.timeout ?? 30_000,
        retries: { ...defaultPolicy, ...(typeof retries === "number" ? { times: retries } : retries) },
        time,
      }),
    ),
  )
}

/** The same client over another transport, e.g. in the same process. It adds no headers and does not retry. */
export const clientOver = (
  { baseUrl, serviceName = "service" }: Pick<ConnectionOptions, "baseUrl" | "serviceName">,
  send: Send,
): ErrataClient => {
  const url = normalBaseUrl(String(baseUrl))
  if (url === null) throw new TypeError(badBaseUrl)
  return clientOf(makeCaller(url + apiPath(serviceName), send))
}

// internal

const credentialOf = ({ apiKey, authorization }: CredentialOptions): Credential.Credential => {
  if (authorization !== undefined) return Credential.ofTokens(authorization)
  const key = String(apiKey ?? "").trim()
  if (!isApiKey(key)) throw new TypeError(badApiKey)
  return Credential.ofKey(key)
}

/** Builds the groups from the contract, which also types them. */
const clientOf = (call: Caller): ErrataClient =>
  mapSurface(
    (each, _, endpoint) => (endpoint === "list" ? listOf(call, each) : promiseOf(call, each)),
    (calls) => calls,
  ) as unknown as ErrataClient

const promiseOf =
  (call: Caller, { arity, endpoint, requestOf, route }: Call) =>
  async (...args: ReadonlyArray<unknown>) =>
    call({ endpoint, route }, requestOf(...args), (args[arity] as CallOptions | undefined)?.signal)

const listOf =
  (call: Caller, { arity, endpoint, requestOf, route }: Call) =>
  (...args: ReadonlyArray<unknown>) => {
    const request = requestOf(...args)
    return makeList(
      (urlParams, { signal }) => call({ endpoint, route }, { ...request, urlParams }, signal),
      request.urlParams ?? {},
      (args[arity] ?? {}) as CallOptions,
    )
  }
