/** The client of an instance for programs that do not know Effect. It is made of `fetch` and nothing else. */
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

/** Where the server is, and with which key to ask it. */
export type ErrataClientOptions = ConnectionOptions & CredentialOptions

/** The user who calls: the one of an API key, or of a token. */
export type CredentialOptions =
  | {
      /** Starts with `errata_`. */
      readonly apiKey: string
      readonly authorization?: undefined
    }
  | {
      readonly apiKey?: undefined
      /**
       * Returns a token to be sent as `Authorization: Bearer`, e.g. the short-lived one of a session in a browser. The client
       * calls it before its first request and keeps the token until a request is refused with 401. Then it calls it once
       * more, and sends the request again if the token is another one. A rejection fails the call with the same reason.
       */
      readonly authorization: () => Promise<string>
    }

/** How requests are sent. */
export interface ConnectionOptions {
  /** Where the instance is, e.g. `https://errata.example.com`. */
  readonly baseUrl: string | URL
  /** The name of the service in the instance's paths; `service` unless it was configured. */
  readonly serviceName?: string | undefined
  /** Used in place of the global `fetch`. */
  readonly fetch?: typeof globalThis.fetch | undefined
  /** How many milliseconds an answer may take; 30,000 unless told. Each try has as long. */
  readonly timeout?: number | undefined
  /**
   * When calls are tried again: after 429 and 503 as `Retry-After` says, and after faults of the transport where the
   * method may be repeated (GET, PUT, DELETE). Timeouts are final. A number is the same as `{ times }`; 0 for never.
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
 * The REST API of an instance. Answers are the documented JSON and nothing else: timestamps are ISO 8601 strings, as
 * they are sent, so that answers can be stored, passed on and compared with the documentation as they are;
 * `new Date(group.last_occurred_at)` where a `Date` is wanted.
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

/** The same, with waits and chance given. */
export const makeClient = (options: ErrataClientOptions, time: Time): ErrataClient => {
  const baseUrl = normalBaseUrl(String(options.baseUrl))
  if (baseUrl === null) throw new TypeError(badBaseUrl)
  const { retries } = options
  return clientOf(
    makeCaller(
      baseUrl + apiPath(options.serviceName ?? "service"),
      sendOver({
        credential: credentialOf(options),
        // Looked up when it is called: programs replace the global one.
        fetch: options.fetch ?? ((input, init) => globalThis.fetch(input, init)),
        timeout: options.timeout ?? 30_000,
        retries: { ...defaultPolicy, ...(typeof retries === "number" ? { times: retries } : retries) },
        time,
      }),
    ),
  )
}

/**
 * The same client over another way to reach an instance, e.g. one in the same process: nothing is added to what is sent,
 * and nothing is sent twice.
 */
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

/** All endpoints at once. Their types are those of the contract. */
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
