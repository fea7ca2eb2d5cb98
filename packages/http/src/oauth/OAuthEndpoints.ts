/** OAuth endpoints for clients: registration, tokens and revocation. */
import { ErrataConfig, OAuth, type OAuthErrorCode, OAuthRefused, type StorageError } from "@errata/core"
import { JsonBounds, type Tokens } from "@errata/core/internal"
import { Cause, Duration, Effect, Redacted } from "effect"
import type { BodyRejected } from "../RequestBody.js"
import * as Forms from "../site/Forms.js"
import type { SiteAnswer, SiteRequest } from "../site/SiteRequest.js"
import { namesOf, scopeText } from "./OAuthNames.js"

/** Dynamic client registration (RFC 7591). */
export const register = (request: SiteRequest) =>
  Effect.gen(function* () {
    const text = (yield* request.body).toString("utf8")
    const metadata = yield* Effect.mapError(Effect.fromResult(JsonBounds.parse(text)), (problem) =>
      refused("invalid_client_metadata", `the body ${problem}`),
    )
    if (typeof metadata !== "object" || metadata === null || Array.isArray(metadata)) {
      return yield* refused("invalid_client_metadata", "the body is not a JSON object")
    }
    const { serviceName } = yield* ErrataConfig
    const client = yield* (yield* OAuth).register(metadata, request.address)
    return json(201, {
      client_id: client.clientId,
      client_id_issued_at: Math.floor(client.createdAt.epochMilliseconds / 1000),
      client_name: client.name,
      redirect_uris: client.redirectUris,
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
      token_endpoint_auth_method: "none",
      scope: scopeText(["read", "write"], serviceName),
    })
  }).pipe(
    Effect.catchTag("TooManyAttempts", ({ retryAfter }) =>
      Effect.succeed(
        problem(429, "temporarily_unavailable", "too many registrations. Try again later", {
          "retry-after": String(retryAfter),
        }),
      ),
    ),
    answered,
  )

export const token = (request: SiteRequest) =>
  Effect.gen(function* () {
    const form = yield* Forms.readUnguarded(request)
    const { serviceName } = yield* ErrataConfig
    const oauth = yield* OAuth
    const names = namesOf(request.baseUrl, serviceName)
    for (const name of onceOnly) {
      if (form.getAll(name).length > 1) {
        return yield* refused("invalid_request", `${name} occurs more than once`)
      }
    }
    const clientId = form.get("client_id") ?? basicUser(request)
    if (clientId === null) return yield* refused("invalid_client", "client_id is missing")
    const resources = form.getAll("resource")
    switch (form.get("grant_type")) {
      case "authorization_code": {
        const exchanged = yield* oauth.exchange(
          {
            code: form.get("code") ?? "",
            clientId,
            redirectUri: form.get("redirect_uri"),
            verifier: form.get("code_verifier") ?? "",
            resources,
          },
          names,
        )
        return tokensAnswer(exchanged, serviceName)
      }
      case "refresh_token": {
        const refreshed = yield* oauth.refresh(
          {
            refreshToken: form.get("refresh_token") ?? "",
            clientId,
            scope: form.get("scope"),
            resources,
          },
          names,
        )
        return tokensAnswer(refreshed, serviceName)
      }
      default:
        return yield* refused(
          "unsupported_grant_type",
          "grant_type must be authorization_code or refresh_token",
        )
    }
  }).pipe(answered)

/** Always responds with 200 (RFC 7009), so that clients learn nothing about tokens of others. */
export const revoke = (request: SiteRequest) =>
  Effect.gen(function* () {
    const form = yield* Forms.readUnguarded(request)
    yield* (yield* OAuth).revoke(form.get("token") ?? "", form.get("client_id") ?? basicUser(request))
    return json(200, {})
  }).pipe(
    Effect.catchTags({
      NotAForm: () => Effect.succeed(json(200, {})),
      BodyRejected: () => Effect.succeed(json(200, {})),
      StorageError: (error) =>
        Effect.as(Effect.logError("Revoking a token failed", Cause.fail(error)), json(200, {})),
    }),
  )

/** Responds to CORS preflights. None of these endpoints uses a cookie. */
export const preflight = (methods: string): SiteAnswer => ({
  status: 204,
  headers: {
    ...openToAll,
    "access-control-allow-methods": methods,
    "access-control-allow-headers": "authorization, content-type, mcp-protocol-version",
    "access-control-max-age": "3600",
  },
})

export const openToAll = { "access-control-allow-origin": "*" }

export const json = (
  status: number,
  document: unknown,
  headers: Readonly<Record<string, string>> = {},
): SiteAnswer => ({
  status,
  headers: {
    ...openToAll,
    "content-type": "application/json",
    "cache-control": "no-store",
    pragma: "no-cache",
    ...headers,
  },
  body: JSON.stringify(document),
})

// internal

const refused = (error: OAuthErrorCode, description: string) => new OAuthRefused({ error, description })

const problem = (
  status: number,
  error: OAuthErrorCode,
  description: string,
  headers: Readonly<Record<string, string>> = {},
): SiteAnswer => json(status, { error, error_description: description }, headers)

function answered<R>(
  effect: Effect.Effect<SiteAnswer, OAuthRefused | Forms.NotAForm | BodyRejected | StorageError, R>,
): Effect.Effect<SiteAnswer, StorageError, R> {
  return Effect.catchTags(effect, {
    OAuthRefused: ({ description, error }) =>
      Effect.succeed(problem(error === "temporarily_unavailable" ? 503 : 400, error, description)),
    NotAForm: () =>
      Effect.succeed(problem(400, "invalid_request", "the body must be application/x-www-form-urlencoded")),
    BodyRejected: ({ reason }) =>
      Effect.succeed(
        problem(
          reason === "too_large" ? 413 : reason === "busy" ? 503 : 400,
          "invalid_request",
          `body: ${reason}`,
        ),
      ),
  })
}

const onceOnly = [
  "grant_type",
  "client_id",
  "code",
  "redirect_uri",
  "code_verifier",
  "refresh_token",
  "scope",
] as const

const tokensAnswer = (tokens: Tokens, serviceName: string): SiteAnswer =>
  json(200, {
    access_token: Redacted.value(tokens.accessToken),
    token_type: "Bearer",
    expires_in: Duration.toSeconds(tokens.expiresIn),
    refresh_token: Redacted.value(tokens.refreshToken),
    scope: scopeText(tokens.grants, serviceName),
  })

/** Some public clients send their id as the user of HTTP Basic, with an empty password. */
const basicUser = (request: SiteRequest): string | null => {
  const [, encoded] = /^basic +([\w+/=-]+) *$/i.exec(request.header("authorization") ?? "") ?? []
  if (encoded === undefined) return null
  const [user = ""] = Buffer.from(encoded, "base64").toString("utf8").split(":")
  try {
    return decodeURIComponent(user)
  } catch {
    return user
  }
}
