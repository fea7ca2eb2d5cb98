/** Notifications of every kind. */
import type { Notification } from "@errata/core"
import { GroupId, ProjectId } from "@errata/core"
import { DateTime } from "effect"

const base = "https://errata.example.com"

const group: NonNullable<Notification["group"]> = {
  id: GroupId.make(42),
  errorType: "TypeError",
  errorMessage: "Cannot read properties of undefined (reading 'price')",
  culprit: "checkout in src/cart.ts",
  severity: "error",
  environment: "production",
  release: "shop@1.4.2",
  reportsCount: 12,
  usersCount: 3,
  firstOccurredAt: DateTime.makeUnsafe("2026-11-26T08:15:00.000Z"),
  lastOccurredAt: DateTime.makeUnsafe("2026-11-26T08:17:30.000Z"),
  frames: [
    { function: "total", file: "src/cart.ts", line: 42 },
    { function: "checkout", file: "src/checkout.ts", line: 7 },
    { function: "", file: "src/main.ts", line: null },
  ],
  url: `${base}/projects/1/groups/42`,
}

const alert: Notification = {
  version: 1,
  id: "n-1001",
  kind: "alert",
  at: DateTime.makeUnsafe("2026-11-26T08:17:31.000Z"),
  project: { id: ProjectId.make(1), name: "Shop", url: `${base}/projects/1` },
  rule: { id: 7, name: "New and reopened groups" },
  reason: "New error",
  group,
  sections: [],
  settingsUrl: `${base}/projects/1/settings`,
}

const digest: Notification = {
  ...alert,
  id: "n-1004",
  kind: "digest",
  rule: null,
  reason: "Daily digest",
  group: null,
  sections: [
    {
      title: "New",
      lines: [
        {
          text: "TypeError: Cannot read properties of undefined: 12 reports",
          url: `${base}/projects/1/groups/42`,
        },
        { text: "RangeError: Out of tea: 4 reports", url: `${base}/projects/1/groups/43` },
      ],
    },
    { title: "Reopened", lines: [] },
    { title: "Mean time to resolve", lines: [{ text: "3 hours", url: null }] },
  ],
}

/** One notification of each kind, with all that it may have. */
export const samples: { readonly [Kind in Notification["kind"]]: Notification } = {
  alert,
  over: { ...alert, id: "n-1002", kind: "over", reason: "Over: more than 100 reports in 5 minutes" },
  summary: {
    ...digest,
    id: "n-1003",
    kind: "summary",
    reason: "27 more notifications were held back",
    sections: [
      {
        title: "Groups",
        lines: Array.from({ length: 20 }, (_, index) => ({
          text: `Error ${index + 1}: 1 notification`,
          url: `${base}/projects/1/groups/${100 + index}`,
        })),
      },
    ],
  },
  digest,
  test: { ...alert, id: "n-1005", kind: "test", rule: null, reason: "Test message", group: null },
  target_disabled: {
    ...alert,
    id: "n-1006",
    kind: "target_disabled",
    rule: null,
    reason: "The target Operations was disabled: every message failed since 2026-11-24",
    group: null,
  },
}

/** The alert of an instance without a base URL. */
export const withoutUrls: Notification = {
  ...alert,
  project: { ...alert.project, url: null },
  group: { ...group, url: null },
  settingsUrl: null,
}
