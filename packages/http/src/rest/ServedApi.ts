/** The contract as the server implements it. */
import { makeErrataApi } from "@errata/api"
import {
  type HttpApi,
  type HttpApiBuilder,
  type HttpApiGroup,
  HttpApiMiddleware,
  OpenApi,
} from "effect/http-api"

/** Responds to the failures of every endpoint with problem documents. */
export class ProblemAnswers extends HttpApiMiddleware.Service<ProblemAnswers>()(
  "@errata/http/rest/ProblemAnswers",
) {}

export const make = (serviceName: string, servers: ReadonlyArray<OpenApi.OpenAPISpecServer>) =>
  makeErrataApi(serviceName).annotate(OpenApi.Servers, servers).middleware(ProblemAnswers)

export type ServedApi = ReturnType<typeof make>

type Groups = ServedApi extends HttpApi.HttpApi<string, infer Groups> ? Groups : never

/** The handlers of a group of endpoints. */
export type HandlersOf<Name extends Groups["identifier"]> = HttpApiBuilder.Handlers.FromGroup<
  HttpApiGroup.WithIdentifier<Groups, Name>
>
