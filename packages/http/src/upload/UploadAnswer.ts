import { HttpServerResponse } from "effect/http"
/** Answers to upload clients. An error has one key and no other: with a second one some clients print nothing of it. */

export interface UploadAnswer {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  /** Undefined for no body. */
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

/** What says nothing else is 404; clients know by it that there is no such thing here. */
export const notFound = refused(404, "Not found")

/** Clients try again after it. They give up at 429, whatever `Retry-After` says. */
export const unavailable = (detail: string): UploadAnswer => refused(503, detail, { "retry-after": "2" })

/** Kept by nobody: some clients would go by old answers for minutes. */
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
