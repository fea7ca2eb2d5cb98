import { attachmentType, contentDisposition } from "@errata/api/internal"
import { type ReportAttachment, safeFileName } from "@errata/core"
import { Effect } from "effect"
import type { HttpServerResponse } from "effect/http"
import { responses } from "./MarkdownResponse.js"

/** An attachment as a file to be saved: whatever it is, no browser shows or runs it in the name of the instance. */
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
