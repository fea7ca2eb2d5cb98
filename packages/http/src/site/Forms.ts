/** What forms send, and whether it is our own pages that had them sent. */
import { createHash, randomBytes, timingSafeEqual } from "node:crypto"
import { Data, Effect } from "effect"
import type { BodyRejected } from "../RequestBody.js"
import * as SiteCookies from "./SiteCookies.js"
import type { SiteRequest } from "./SiteRequest.js"

/** The form is not one of ours, or was sent by another page than one of ours. */
export class ForeignForm extends Data.TaggedError("ForeignForm")<{ readonly reason: string }> {}

/** The body is no form. */
export class NotAForm extends Data.TaggedError("NotAForm") {}

/** The name of the hidden field that every form has. */
export const tokenField = "form_token"

/** What makes the forms of one browser and one person: a secret in a cookie, and what the hidden field says of it. */
export interface FormToken {
  readonly value: string
  /** To be set with the page; none where the browser has it. */
  readonly cookies: ReadonlyArray<string>
}

/** `binding` is whoever is signed in: a form of before is none of afterwards. */
export const tokenFor = (request: SiteRequest, binding: string): FormToken => {
  const known = SiteCookies.read(request, "form")
  const secret = known !== null && isSecret(known) ? known : randomBytes(32).toString("base64url")
  return {
    value: tokenOf(secret, binding),
    cookies: secret === known ? [] : [SiteCookies.write(request, "form", secret, null)],
  }
}

/** Reads a form that one of our pages had sent for the same person. */
export const read = (
  request: SiteRequest,
  binding: string,
): Effect.Effect<URLSearchParams, ForeignForm | NotAForm | BodyRejected> =>
  Effect.gen(function* () {
    // Looked at before the body, which strangers' pages make as large as they like.
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

/** A form that carries a proof of its own: what clients of OAuth send. */
export const readUnguarded = (
  request: SiteRequest,
): Effect.Effect<URLSearchParams, NotAForm | BodyRejected> =>
  Effect.gen(function* () {
    const type = request.header("content-type") ?? ""
    if (!/^\s*application\/x-www-form-urlencoded\s*(?:;|$)/i.test(type)) return yield* new NotAForm()
    return new URLSearchParams((yield* request.body).toString("utf8"))
  })

/** Whether a page of ours sent it, by what browsers say of that. Old ones say nothing, and have the token alone. */
export const isSameOrigin = (request: SiteRequest): boolean => {
  const site = request.header("sec-fetch-site")
  if (site !== undefined && site !== "same-origin") return false
  const origin = request.header("origin")
  // What a browser makes of the origin where a proxy or an extension has it send no referrer.
  if (origin === "null") return site === "same-origin"
  return origin === undefined || isOwnOrigin(request, origin)
}

/**
 * Returns true for the origin of the instance. Without a base URL, the scheme that a proxy in front speaks is unknown. A
 * browser that calls the request same-origin has compared the schemes already.
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
