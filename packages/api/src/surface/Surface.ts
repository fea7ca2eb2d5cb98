/** How both clients are called: for every endpoint of the contract, the parameters of its call and their request. */

import { type Endpoints, routes } from "./Endpoints.js"
import type { EndpointName, GroupName } from "./Names.js"
import { aliases, shorthands } from "./Shorthands.js"

/** The path has parameters like `:group_id`. Answers are JSON unless they are said to be bytes. */
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
  /** The group and the name of the endpoint. */
  readonly endpoint: readonly [group: string, name: string]
  readonly route: Route
  /** The number of parameters. Call options come after them. */
  readonly arity: number
  readonly requestOf: (...args: ReadonlyArray<unknown>) => CallRequest
}

type Shorthands = typeof shorthands
type Aliases = typeof aliases

/** The further names of calls of a group. */
export type AliasName<G extends GroupName> = G extends keyof Aliases ? keyof Aliases[G] : never

/** The endpoint that a name calls. */
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

/** The calls of every group, with the parameters that people write: ids of the path, then the body, then the query. */
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

/** What a call takes. */
export type Arguments<
  G extends GroupName,
  E extends EndpointName<G> | AliasName<G>,
> = E extends keyof Surface[G]
  ? Surface[G][E] extends (...args: infer Args) => unknown
    ? Args
    : never
  : never

/** The name of the list of a group; never if it has none. */
export type ListOf<G extends GroupName> = Extract<"list", EndpointName<G>>

type Named<A> = Readonly<Record<string, A>>

/** Returns the groups of calls, each turned into something else. */
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
