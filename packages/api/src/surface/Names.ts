/** The contract by group and endpoint, without schemas. */
import type { routes } from "./Endpoints.js"
import type { Answers, Bodies, Queries } from "./Types.js"

export type GroupName = keyof Answers
export type EndpointName<G extends GroupName> = keyof Answers[G]

type At<Table, G, E> = G extends keyof Table ? (E extends keyof Table[G] ? Table[G][E] : never) : never

/** The ids in the path of an endpoint, by name. */
export type Path<G extends GroupName, E extends EndpointName<G>> =
  At<typeof routes, G, E> extends readonly [string, infer P, ...ReadonlyArray<unknown>]
    ? [Ids<P>] extends [never]
      ? never
      : { readonly [Id in Ids<P>]: Id extends "address" | "event_id" | "key" ? string : number }
    : never
export type Query<G extends GroupName, E extends EndpointName<G>> = At<Queries, G, E>
export type Body<G extends GroupName, E extends EndpointName<G>> = At<Bodies, G, E>
export type Answer<G extends GroupName, E extends EndpointName<G>> = At<Answers, G, E>

/** The parts of a request. */
export type Request<G extends GroupName, E extends EndpointName<G>> = ([Path<G, E>] extends [never]
  ? unknown
  : { readonly path: Path<G, E> }) &
  ([Query<G, E>] extends [never] ? unknown : { readonly urlParams: Query<G, E> }) &
  ([Body<G, E>] extends [never] ? unknown : { readonly payload: Body<G, E> })

// internal

type Ids<P> = P extends `${string}:${infer Id}/${infer Rest}`
  ? Id | Ids<Rest>
  : P extends `${string}:${infer Id}`
    ? Id
    : never
