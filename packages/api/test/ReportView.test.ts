import type { EventId, GroupId, ProjectId, Report, ReportId } from "@errata/core"
import { DateTime, Schema } from "effect"
import { describe, expect, it } from "vitest"
import { ReportDetailView } from "../src/index.js"
import { reportDetailView } from "../src/internal.js"

const now = DateTime.makeUnsafe("2026-01-02T03:04:05.678Z")

const bare: Report = {
  id: 9 as ReportId,
  groupId: 7 as GroupId,
  projectId: 3 as ProjectId,
  eventId: null as EventId | null,
  errorType: "TypeError",
  errorMessage: "x",
  culprit: "",
  occurredAt: now,
  platform: "node",
  severity: "error",
  handled: true,
  serverName: "",
  environment: "",
  releaseVersion: "",
  sourcemapStatus: "unprocessed",
  sourcemapFailureCode: null,
  sourcemapAttemptedAt: null,
  tags: [],
  createdAt: now,
  updatedAt: now,
  release: null,
  details: null,
  attachments: [],
  isPurged: false,
  unreadable: null,
}

describe("ReportView", () => {
  it("has all fields after retention has removed the details", () => {
    const wire = Schema.encodeSync(ReportDetailView)(reportDetailView(bare, null))
    expect(wire).toMatchObject({
      event_id: null,
      occurred_at: "2026-01-02T03:04:05.678Z",
      custom_fingerprint: null,
      transaction_source: null,
      contexts: [],
      user: { user_id: "", email: "", data: {} },
      request: { url: "", headers: {} },
      sdk: { name: "", version: "" },
      extras: [],
      dependencies: [],
      release: null,
      exceptions: [],
      ingest_truncations: [],
    })
  })

  it("shows attachments without their content", () => {
    const attachments = [
      { id: 1, filename: "a.txt", contentType: "text/plain", type: "event.attachment", size: 5 },
    ]
    expect(reportDetailView({ ...bare, attachments }, null).attachments).toEqual([
      { id: 1, filename: "a.txt", content_type: "text/plain", type: "event.attachment", size: 5 },
    ])
  })
})
