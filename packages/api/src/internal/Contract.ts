/** The types of the contract by group and endpoint, for the clients. */
import { type HttpApi, type HttpApiEndpoint, type HttpApiError, type HttpApiGroup } from "effect/http-api"
import type { ErrataApi } from "../ErrataApi.js"

type Groups = ErrataApi extends HttpApi.HttpApi<string, infer Groups, infer _E, infer _R> ? Groups : never
type Group<G extends GroupName> = HttpApiGroup.HttpApiGroup.WithName<Groups, G>
type Endpoint<G extends GroupName, E extends EndpointName<G>> = HttpApiEndpoint.HttpApiEndpoint.WithName<
  HttpApiGroup.HttpApiGroup.Endpoints<Group<G>>,
  E
>

export type GroupName = Groups["identifier"]
export type EndpointName<G extends GroupName> = HttpApiEndpoint.HttpApiEndpoint.Name<
  HttpApiGroup.HttpApiGroup.Endpoints<Group<G>>
>

export type Method<G extends GroupName, E extends EndpointName<G>> = Endpoint<G, E>["method"]
export type Path<G extends GroupName, E extends EndpointName<G>> = HttpApiEndpoint.HttpApiEndpoint.PathParsed<
  Endpoint<G, E>
>
export type Query<G extends GroupName, E extends EndpointName<G>> = HttpApiEndpoint.HttpApiEndpoint.UrlParams<
  Endpoint<G, E>
>
export type Body<G extends GroupName, E extends EndpointName<G>> = HttpApiEndpoint.HttpApiEndpoint.Payload<
  Endpoint<G, E>
>

/** What an endpoint is called with. */
export type Request<G extends GroupName, E extends EndpointName<G>> = ([Path<G, E>] extends [never]
  ? unknown
  : { readonly path: Path<G, E> }) &
  ([Query<G, E>] extends [never] ? unknown : { readonly urlParams: Query<G, E> }) &
  ([Body<G, E>] extends [never] ? unknown : { readonly payload: Body<G, E> })

/** What an endpoint answers. */
export type Success<G extends GroupName, E extends EndpointName<G>> = HttpApiEndpoint.HttpApiEndpoint.Success<
  Endpoint<G, E>
>

/** The problems that an endpoint may answer with. Servers turn what cannot be decoded into problems as well. */
export type Problems<G extends GroupName, E extends EndpointName<G>> = Exclude<
  HttpApiEndpoint.HttpApiEndpoint.Error<Endpoint<G, E>> | HttpApiGroup.HttpApiGroup.Error<Group<G>>,
  HttpApiError.HttpApiDecodeError
>
