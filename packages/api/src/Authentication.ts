import type { CurrentActor } from "@errata/core/access"
import { HttpApiMiddleware, HttpApiSecurity, OpenApi } from "effect/http-api"
import { ServiceUnavailable, Unauthorized } from "./Problem.js"

const apiKey = HttpApiSecurity.annotate(
  HttpApiSecurity.http({ scheme: "bearer" }),
  OpenApi.Description,
  "The API key of a user, e.g. `errata_0123…`",
)

/** Authenticates the caller by `Authorization: Bearer <API key>`. */
export class Authentication extends HttpApiMiddleware.Service<Authentication, { provides: CurrentActor }>()(
  "@errata/api/Authentication",
  { error: [Unauthorized, ServiceUnavailable], security: { apiKey } },
) {}
