import { HttpApiMiddleware, HttpApiSecurity, OpenApi } from "effect/http-api"
import { CurrentActor } from "@errata/core/access"
import { Schema } from "effect"
import { ServiceUnavailable, Unauthorized } from "./Problem.js"

/** `Authorization: Bearer <API key>` says who is calling. */
export class Authentication extends HttpApiMiddleware.Tag<Authentication>()("@errata/api/Authentication", {
  failure: Schema.Union([Unauthorized, ServiceUnavailable]),
  provides: CurrentActor,
  security: {
    apiKey: HttpApiSecurity.annotate(
      HttpApiSecurity.bearer,
      OpenApi.Description,
      "The API key of a user, e.g. `errata_0123…`",
    ),
  },
}) {}
