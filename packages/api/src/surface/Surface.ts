/** The functions of both clients: for each endpoint of the contract, its arguments and the request made from them. */

import { type Endpoints, routes } from "./Endpoints.js"
import type { EndpointName, GroupName } from "./Names.js"
import { aliases, shorthands } from "./Shorthands.js"

/** The path has parameters such as `:group_id`. Responses are JSON unless marked as bytes. */
export type Route = readonly [
  method: string,
  path: string,
  status: number,
  ...has: ReadonlyArray<"query" | "body" | "bytes">,
]

export interface CallRequest {
  readonly path?: Readonly<Record<string, string | number>>
  readonly urlParams?: object
  readonly payload?: object
}

export interface Call {
  /** Group and name of the endpoint. */
  readonly endpoint: readonly [group: string, name: string]
  readonly route: Route
  /** Number of arguments. Call options follow them. */
  readonly arity: number
  readonly requestOf: (...args: ReadonlyArray<unknown>) => CallRequest
}

type Shorthands = typeof shorthands
type Aliases = typeof aliases

/** Aliases of a group's endpoints. */
export type AliasName<G extends GroupName> = G extends keyof Aliases ? keyof Aliases[G] : never

/** The endpoint that a name or an alias calls. */
export type EndpointOf<G extends GroupName, Name> =
  Name extends EndpointName<G>
    ? Name
    : G extends keyof Aliases
      ? Name extends keyof Aliases[G]
        ? Aliases[G][Name] extends { readonly endpoint: infer E extends EndpointName<G> }
          ? E
          : never
        : never
      : never

/** The functions of every group. Arguments are the ids in the path, then the body, then the query. */
export type Surface = {
  readonly [G in GroupName]: Endpoints[G] &
    (G extends keyof Shorthands ? Shorthands[G] : unknown) &
    (G extends keyof Aliases
      ? {
          readonly [Name in keyof Aliases[G]]: Aliases[G][Name] extends { readonly requestOf: infer F }
            ? F
            : never
        }
      : unknown)
}

/** The arguments of a function. */
export type Arguments<
  G extends GroupName,
  E extends EndpointName<G> | AliasName<G>,
> = E extends keyof Surface[G]
  ? Surface[G][E] extends (...args: infer Args) => unknown
    ? Args
    : never
  : never

/** `"list"` if the group has a list, else never. */
export type ListOf<G extends GroupName> = Extract<"list", EndpointName<G>>

type Named<A> = Readonly<Record<string, A>>

/** Maps every function, and then every group of mapped functions. */
export const mapSurface = <A, B>(
  call: (call: Call, group: string, endpoint: string) => A,
  calls: (calls: Named<A>, group: string) => B,
): Named<B> =>
  mapValues(routes, (named, group) => {
    const endpoints = named as Named<Route>
    return calls(
      {
        ...mapValues(endpoints, (route, endpoint) =>
          call(callOf([group, endpoint], route, short[group]?.[endpoint]), group, endpoint),
        ),
        ...mapValues(others[group] ?? {}, ({ endpoint, requestOf }) =>
          call(callOf([group, endpoint], endpoints[endpoint]!, requestOf), group, endpoint),
        ),
      },
      group,
    )
  })

// internal

const short: Named<Named<Call["requestOf"]>> = shorthands as never
const others: Named<Named<{ readonly endpoint: string; readonly requestOf: Call["requestOf"] }>> =
  aliases as never

const callOf = (endpoint: Call["endpoint"], route: Route, shorthand: Call["requestOf"] | undefined): Call => {
  if (shorthand !== undefined) return { endpoint, route, arity: shorthand.length, requestOf: shorthand }
  const ids = Array.from(route[1].matchAll(/:(\w+)/g), ([, id]) => id!)
  const parts = (["body", "query"] as const).filter((part) => route.includes(part))
  return {
    endpoint,
    route,
    arity: ids.length + parts.length,
    requestOf: (...args) => ({
      path: Object.fromEntries(ids.map((id, i) => [id, args[i] as string | number])),
      ...Object.fromEntries(
        parts.map((part, i) => [part === "body" ? "payload" : "urlParams", args[ids.length + i] ?? {}]),
      ),
    }),
  }
}

const mapValues = <A, B>(values: Named<A>, f: (value: A, name: string) => B): Named<B> =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, f(value, name)]))
