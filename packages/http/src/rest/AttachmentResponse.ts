import { attachmentType, contentDisposition } from "@errata/api/internal"
import { type ReportAttachment, safeFileName } from "@errata/core"
import { HttpServerResponse } from "effect/http"

/** An attachment as a file to be saved: whatever it is, no browser shows or runs it in the name of the instance. */
export const of = ({
  body,
  contentType,
  filename,
  id,
}: ReportAttachment): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.uint8Array(body, {
    contentType: attachmentType(contentType),
    headers: {
      "content-disposition": contentDisposition(safeFileName(filename, `attachment-${id}`)),
      "content-security-policy": "sandbox; default-src 'none'; frame-ancestors 'none'",
    },
  })
