/** Rows of `errata.attachments`. */
import type { ProjectId, ReportId } from "@errata/core"
import type { NewAttachment } from "@errata/core/ports"
import * as Batch from "./Batch.js"
import * as Rows from "./Rows.js"
import { int4, int8, text } from "./SqlType.js"

const { once } = Rows.writtenFrom<NewAttachment>()

const summary = {
  id: int8(),
  filename: once(text(), (attachment) => attachment.filename),
  contentType: once(text(), (attachment) => attachment.contentType),
  type: once(text(), (attachment) => attachment.type),
  size: once(int4(), (attachment) => attachment.size),
}

export const summaries = Rows.make(summary)

/** Inserts attachments in the order of `ordinality`. */
export const inserted = Batch.make<NewAttachment>(
  {
    ...summary,
    projectId: once(int8<ProjectId>(), (attachment) => attachment.projectId),
    reportId: once(int8<ReportId>(), (attachment) => attachment.reportId),
    segmentId: once(int8(), (attachment) => attachment.place.segmentId),
    segmentPosition: once(int4(), (attachment) => attachment.place.position),
    position: once(int4(), (attachment) => attachment.index),
  },
  "ordinality",
)
