import { HttpServerResponse } from "effect/http"
/** Responses to upload clients. Errors have a single key: with a second one, some clients print nothing. */

export interface UploadAnswer {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  /** Undefined for an empty body. */
  readonly document?: unknown
}

export const ok = (document: unknown, headers: Readonly<Record<string, string>> = {}): UploadAnswer => ({
  status: 200,
  headers,
  document,
})

export const created = (document: unknown): UploadAnswer => ({ status: 201, document })

export const noContent: UploadAnswer = { status: 204 }

export const refused = (
  status: number,
  detail: string,
  headers: Readonly<Record<string, string>> = {},
): UploadAnswer => ({ status, headers, document: { detail } })

export const unauthorized = (detail: string): UploadAnswer =>
  refused(401, detail, { "www-authenticate": "Bearer" })

/** Clients recognize missing features by 404. */
export const notFound = refused(404, "Not found")

/** Clients retry after 503. They give up after 429, regardless of `Retry-After`. */
export const unavailable = (detail: string): UploadAnswer => refused(503, detail, { "retry-after": "2" })

/** Not cacheable: some clients would use old responses for minutes. */
export const toPlatform = ({
  document,
  headers,
  status,
}: UploadAnswer): HttpServerResponse.HttpServerResponse => {
  const common = { "cache-control": "no-store", "x-content-type-options": "nosniff", ...headers }
  return document === undefined
    ? HttpServerResponse.empty({ status, headers: common })
    : HttpServerResponse.text(JSON.stringify(document), {
        status,
        headers: common,
        contentType: "application/json",
      })
}
