/** Reads forms, and rejects those of other sites (CSRF). */
import { createHash, randomBytes, timingSafeEqual } from "node:crypto"
import { Data, Effect } from "effect"
import type { BodyRejected } from "../RequestBody.js"
import * as SiteCookies from "./SiteCookies.js"
import type { SiteRequest } from "./SiteRequest.js"

/** The form was not sent by a page of this instance. */
export class ForeignForm extends Data.TaggedError("ForeignForm")<{ readonly reason: string }> {}

/** The body is not a form. */
export class NotAForm extends Data.TaggedError("NotAForm") {}

/** Name of the hidden field in every form. */
export const tokenField = "form_token"

/** The CSRF token of a browser and a user: a secret in a cookie, and the value of the hidden field derived from it. */
export interface FormToken {
  readonly value: string
  /** Cookies to set with the page. Empty if the browser has the secret. */
  readonly cookies: ReadonlyArray<string>
}

/** `binding` identifies the signed-in user: forms from before a sign-in are invalid after it. */
export const tokenFor = (request: SiteRequest, binding: string): FormToken => {
  const known = SiteCookies.read(request, "form")
  const secret = known !== null && isSecret(known) ? known : randomBytes(32).toString("base64url")
  return {
    value: tokenOf(secret, binding),
    cookies: secret === known ? [] : [SiteCookies.write(request, "form", secret, null)],
  }
}

/** Reads a form of one of our pages for the same user. */
export const read = (
  request: SiteRequest,
  binding: string,
): Effect.Effect<URLSearchParams, ForeignForm | NotAForm | BodyRejected> =>
  Effect.gen(function* () {
    // Checked before the body is read, since other sites may send large bodies.
    if (!isSameOrigin(request)) return yield* new ForeignForm({ reason: "sent by another site" })
    const form = yield* readUnguarded(request)
    const secret = SiteCookies.read(request, "form")
    const given = Buffer.from(form.get(tokenField) ?? "")
    const right = Buffer.from(secret === null || !isSecret(secret) ? "" : tokenOf(secret, binding))
    if (right.length === 0 || given.length !== right.length || !timingSafeEqual(given, right)) {
      return yield* new ForeignForm({ reason: "its token is not this browser's" })
    }
    return form
  })

/** Reads a form that needs no CSRF token, such as those of OAuth clients. */
export const readUnguarded = (
  request: SiteRequest,
): Effect.Effect<URLSearchParams, NotAForm | BodyRejected> =>
  Effect.gen(function* () {
    const type = request.header("content-type") ?? ""
    if (!/^\s*application\/x-www-form-urlencoded\s*(?:;|$)/i.test(type)) return yield* new NotAForm()
    return new URLSearchParams((yield* request.body).toString("utf8"))
  })

/** True unless the browser's headers name another origin. Old browsers send none: the token protects them. */
export const isSameOrigin = (request: SiteRequest): boolean => {
  const site = request.header("sec-fetch-site")
  if (site !== undefined && site !== "same-origin") return false
  const origin = request.header("origin")
  // Browsers send `null` if a proxy or an extension disables the referrer.
  if (origin === "null") return site === "same-origin"
  return origin === undefined || isOwnOrigin(request, origin)
}

/**
 * True for the origin of the instance. Without a base URL, the scheme in front of a proxy is unknown; a browser that
 * reports a same-origin request has compared the schemes.
 */
export const isOwnOrigin = (request: SiteRequest, origin: string): boolean => {
  const { baseUrl, isBaseUrlGiven } = request
  if (!URL.canParse(baseUrl) || !URL.canParse(origin)) return false
  const own = new URL(baseUrl)
  if (origin === own.origin) return true
  const isSame = !isBaseUrlGiven && request.header("sec-fetch-site") === "same-origin"
  return isSame && origin === `https://${own.host}`
}

// internal

const isSecret = (text: string): boolean => /^[\w-]{43}$/.test(text)

const tokenOf = (secret: string, binding: string): string =>
  createHash("sha256").update(`${secret}:${binding}`).digest("base64url")
