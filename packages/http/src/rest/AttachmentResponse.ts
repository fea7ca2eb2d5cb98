import { attachmentType, contentDisposition } from "@errata/api/internal"
import { type ReportAttachment, safeFileName } from "@errata/core"
import { Effect } from "effect"
import type { HttpServerResponse } from "effect/http"
import { responses } from "./MarkdownResponse.js"

/** An attachment as a download: no browser displays or runs it under the instance's origin. */
export const of = ({
  body,
  contentType,
  filename,
  id,
}: ReportAttachment): Effect.Effect<HttpServerResponse.HttpServerResponse> =>
  Effect.map(responses, ({ uint8Array }) =>
    uint8Array(body, {
      contentType: attachmentType(contentType),
      headers: {
        "content-disposition": contentDisposition(safeFileName(filename, `attachment-${id}`)),
        "content-security-policy": "sandbox; default-src 'none'; frame-ancestors 'none'",
      },
    }),
  )
