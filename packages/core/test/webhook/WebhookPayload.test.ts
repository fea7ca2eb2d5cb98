import { DateTime } from "effect"
import { describe, expect, it } from "vitest"
import { GroupId } from "../../src/group/Group.js"
import type { DocumentGroup } from "../../src/group/GroupEventDocument.js"
import { ProjectId } from "../../src/project/Project.js"
import * as WebhookPayload from "../../src/webhook/WebhookPayload.js"

const at = (millis: number) => DateTime.makeUnsafe(millis)
const start = at(0)

const group: DocumentGroup = {
  id: GroupId.make(1),
  projectId: ProjectId.make(2),
  errorType: "TypeError",
  errorMessage: "",
  culprit: "",
  fingerprint: "v2:ab",
  severity: "error",
  firstOccurredAt: start,
  lastOccurredAt: start,
  usersCount: 3,
  reportsCount: 3,
  notesCount: 0,
  resolution: null,
  mute: null,
  projectMute: null,
  assigneeId: null,
  issueUrl: null,
  reopenedAt: null,
  mergedIntoId: null,
  createdAt: start,
  updatedAt: start,
}

/** The fields about mutes in a payload of the second 1. */
const told = (mutes: Partial<DocumentGroup>) => {
  const event = { _tag: "Resolved", group: { ...group, ...mutes }, by: null } as const
  const payload = WebhookPayload.ofDocument({ version: 1, at: at(1_000), event }, new Map(), null)
  const { group: shown } = JSON.parse(payload)
  return Object.fromEntries(Object.entries(shown).filter(([name]) => /mute/.test(name)))
}

const none = {
  muted: false,
  mute_source: null,
  muted_at: null,
  muter_id: null,
  muted_until: null,
  muted_until_reports_count: null,
  muted_until_release: null,
  project_muted_at: null,
  project_muted_until: null,
}

describe("the mutes in a webhook's payload", () => {
  it("leave out those that ran out before the event", () => {
    const until = at(1_000)
    expect(told({ projectMute: { at: start, by: null, until } })).toEqual(none)
    expect(told({ mute: { at: start, by: null, condition: { _tag: "Until", until } } })).toEqual(none)
    const counted = { _tag: "UntilReportsCount", reportsCount: 3 } as const
    expect(told({ mute: { at: start, by: null, condition: counted } })).toEqual(none)
  })

  it("keep those that hold", () => {
    const until = at(1_001)
    expect(
      told({
        mute: { at: start, by: null, condition: { _tag: "UntilReportsCount", reportsCount: 4 } },
        projectMute: { at: start, by: null, until },
      }),
    ).toEqual({
      ...none,
      muted: true,
      mute_source: "manual_and_project",
      muted_at: DateTime.formatIso(start),
      muted_until_reports_count: 4,
      project_muted_at: DateTime.formatIso(start),
      project_muted_until: DateTime.formatIso(until),
    })
  })
})
