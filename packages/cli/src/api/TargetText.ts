/** Formats targets for people. Secret fields have no values here: no response contains them. */
import type { NotificationKindsView, TargetView } from "@errata/api"
import type { DateTime } from "effect"
import { fieldLines, yesNo } from "./Detail.js"
import type { ListColumn } from "./Listing.js"
import { absolute, relative } from "./Moments.js"

export const targetColumns: ReadonlyArray<ListColumn<TargetView>> = [
  { title: "ID", align: "right", of: ({ id }) => String(id) },
  { title: "KIND", of: ({ kind }) => kind },
  { title: "NAME", flexible: true, main: true, of: ({ name }) => name },
  { title: "STATE", flexible: true, of: stateText },
  { title: "QUIET HOURS", flexible: true, omit: 1, of: (target) => hoursText(target) ?? "" },
  { title: "CREATED", omit: 2, of: (target, now) => relative(target.created_at, now) },
]

export const targetLines = (target: TargetView, now: DateTime.DateTime): ReadonlyArray<string> =>
  fieldLines([
    ["Target", target.id],
    ["Project", target.project_id],
    ["Kind", target.kind],
    ["Name", target.name],
    ["Enabled", yesNo(target.enabled)],
    ["Disabled because", target.disabled_reason],
    ["Failing since", absolute(target.failing_since, now)],
    ...Object.entries(target.address).map(([name, value]) => [`Address: ${name}`, value] as const),
    ["Secret fields", target.secret_fields.join(", ")],
    ["Quiet hours", hoursText(target)],
    ["Created", absolute(target.created_at, now)],
  ])

export const kindLines = ({ kinds, mail }: NotificationKindsView): ReadonlyArray<string> => [
  ...kinds.flatMap(({ fields, kind, label }, i) => [
    ...(i === 0 ? [] : [""]),
    `${kind} (${label})`,
    ...fieldLines(
      fields.map(({ description, name, required, secret }) => [
        `  ${name}`,
        `${[required ? "required" : "optional", ...(secret ? ["secret"] : [])].join(", ")}. ${description}`,
      ]),
    ),
  ]),
  "",
  `Mail is ${mail ? "set up" : "not set up"}.`,
]

// internal

function stateText({ disabled_reason: reason, enabled, failing_since: failing }: TargetView): string {
  if (!enabled) return reason === null ? "disabled" : `disabled: ${reason}`
  return failing === null ? "enabled" : "failing"
}

const hoursText = ({ quiet_hours: hours }: TargetView): string | null =>
  hours === null ? null : `${hours.from}-${hours.to} ${hours.timezone}`
