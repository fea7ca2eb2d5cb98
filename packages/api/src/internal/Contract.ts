/** Types of the contract by group and endpoint, for both clients. */
import type { HttpApi, HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import type { ErrataApi } from "../ErrataApi.js"

type Groups = ErrataApi extends HttpApi.HttpApi<string, infer Groups> ? Groups : never
type Endpoints<G extends GroupName> = HttpApiGroup.EndpointsWithIdentifier<Groups, G>
type Endpoint<G extends GroupName, E extends EndpointName<G>> = HttpApiEndpoint.WithIdentifier<
  Endpoints<G>,
  E
>

export type GroupName = Groups["identifier"]
export type EndpointName<G extends GroupName> = HttpApiEndpoint.Identifier<Endpoints<G>>

export type Path<G extends GroupName, E extends EndpointName<G>> = HttpApiEndpoint.Params<
  Endpoint<G, E>
>["Type"]
export type Query<G extends GroupName, E extends EndpointName<G>> = HttpApiEndpoint.Query<
  Endpoint<G, E>
>["Type"]
export type Body<G extends GroupName, E extends EndpointName<G>> = HttpApiEndpoint.Payload<
  Endpoint<G, E>
>["Type"]

/** The response of an endpoint. */
export type Success<G, E> = HttpApiEndpoint.Success<Named<G, E>>["Type"]

/** The problems that an endpoint can respond with, including those for undecodable requests. */
export type Problems<G, E> = HttpApiEndpoint.Errors<Named<G, E>>

type Named<G, E> = Endpoint<Extract<G, GroupName>, Extract<E, EndpointName<Extract<G, GroupName>>>>
