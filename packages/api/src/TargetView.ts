/** Targets of notifications as the API shows them, and the kinds that an instance has. */
import type { QuietHours, Target } from "@errata/core"
import type { NotificationTarget } from "@errata/core/ports"
import { Schema } from "effect"
import { flag, int, text, textOrNull, time, timeOrNull } from "./Fields.js"
import { described, isJsonObject, named, opaque } from "./Json.js"
import { Flag, optional, Text } from "./Params.js"

const FieldView = Schema.Struct({
  name: text("Name of the field in `address`"),
  label: text("Name of the field for people"),
  description: text("One sentence that says where people find the value"),
  secret: flag("True for a value that is encrypted and never returned"),
  required: flag("True if a target cannot be created without it"),
  placeholder: text("An example"),
}).annotate({ identifier: "TargetField" })

const KindView = Schema.Struct({
  kind: text("Name of the kind, such as `slack`"),
  label: text("Name of the kind for people"),
  fields: described("Fields of the address of a target", Schema.Array(FieldView)),
  requires_base_url: flag(
    "True if targets of this kind cannot be created before the instance has a base URL",
  ),
}).annotate({ identifier: "NotificationKind" })

/** The kinds of targets of an instance. */
export const NotificationKindsView = Schema.Struct({
  kinds: described("Kinds of targets that projects can have", Schema.Array(KindView)),
  mail: flag("True if mail is set up"),
}).pipe(
  named("NotificationKinds", {
    kinds: [
      {
        kind: "slack",
        label: "Slack",
        fields: [
          {
            name: "webhook_url",
            label: "Webhook URL",
            description: "Slack shows it in the settings of an app with incoming webhooks.",
            secret: true,
            required: true,
            placeholder: "https://hooks.slack.com/services/T0000/B0000/xxxx",
          },
        ],
        requires_base_url: true,
      },
    ],
    mail: true,
  }),
)
export type NotificationKindsView = typeof NotificationKindsView.Type

const QuietHoursView = Schema.Struct({
  from: text("Beginning, as `HH:MM`"),
  to: text("End, as `HH:MM`. On the next day if it is not after `from`"),
  timezone: text("Time zone by its IANA name"),
}).annotate({ identifier: "QuietHours" })

/** Hours of every day without messages. */
export type QuietHoursView = typeof QuietHoursView.Type

const example = {
  id: 7,
  project_id: 1,
  kind: "slack",
  name: "#shop-errors",
  enabled: true,
  address: {},
  secret_fields: ["webhook_url"],
  quiet_hours: { from: "22:00", to: "07:00", timezone: "Europe/Vienna" },
  failing_since: null,
  disabled_reason: null,
  created_at: "2026-01-01T08:00:00.000Z",
  updated_at: "2026-01-01T08:00:00.000Z",
} as const

/** A target, without the values of its secret fields, as REST shows it. */
export const TargetView = Schema.Struct({
  id: int("Id of the target"),
  project_id: int("Id of the project"),
  kind: text("Kind of the target, such as `slack`"),
  name: text("Name of the target"),
  enabled: flag("True if the target gets messages"),
  address: described(
    "Values of the fields that are not secret, by name",
    Schema.Record(Schema.String, Schema.String),
  ),
  secret_fields: described(
    "Names of the secret fields of the kind. No response contains their values",
    Schema.Array(Schema.String),
  ),
  quiet_hours: described("Hours of every day without messages, or null", Schema.NullOr(QuietHoursView)),
  failing_since: timeOrNull("Time since which every message failed. Null if the last one arrived"),
  disabled_reason: textOrNull(
    "Reason for which Errata disabled the target. Null if a person did, or if it is enabled",
  ),
  created_at: time("Time of creation"),
  updated_at: time("Time of the last change"),
}).pipe(named("Target", example))
export type TargetView = typeof TargetView.Type

/** All targets of a project. */
export const TargetsView = Schema.Struct({
  targets: described("The targets of the project, oldest first", Schema.Array(TargetView)),
}).annotate({ identifier: "Targets", examples: [{ targets: [example] } as never] })

const maxFields = 20
const notAddress = `must be an object of at most ${maxFields} texts`

/** Values by field. The core checks each of them by the kind, and its messages name `address.` and the field. */
const AddressInput = opaque(
  isTexts,
  { type: "object", additionalProperties: { type: "string" }, maxProperties: maxFields },
  notAddress,
)

/** One message for all of it, at `quiet_hours`. The core checks the time zone. */
const QuietHoursInput = opaque(
  isQuietHours,
  { anyOf: [{ $ref: "#/components/schemas/QuietHours" }, { type: "null" }] },
  "must have from and to as HH:MM and a timezone, or be null",
)

/** A new target. */
export const TargetCreation = Schema.Struct({
  kind: described("Kind of the target, such as `slack`", Text),
  name: described("Name of the target, of at most 100 characters", Text),
  address: described(
    "Values of the fields of the kind, by name. `GET /notification_kinds` lists them",
    AddressInput,
  ),
  enabled: described("True if the target gets messages. Default: true", optional(Flag)),
  quiet_hours: described("Hours of every day without messages. Default: null", optional(QuietHoursInput)),
}).pipe(
  named("TargetCreation", {
    kind: "slack",
    name: "#shop-errors",
    address: { webhook_url: "https://hooks.slack.com/services/T0000/B0000/xxxx" },
    quiet_hours: { from: "22:00", to: "07:00", timezone: "Europe/Vienna" },
  }),
)
export type TargetCreation = typeof TargetCreation.Type

/** Changes of a target. Missing fields stay as they are. */
export const TargetUpdate = Schema.Struct({
  name: described("New name, of at most 100 characters", optional(Text)),
  address: described(
    "New values of fields, by name. Missing fields keep their values, and an empty text clears an optional field",
    optional(AddressInput),
  ),
  enabled: described("True if the target gets messages", optional(Flag)),
  quiet_hours: described("Hours of every day without messages, or null for none", optional(QuietHoursInput)),
}).pipe(named("TargetUpdate", { enabled: false }))
export type TargetUpdate = typeof TargetUpdate.Type

export const notificationKindsView = (
  kinds: ReadonlyArray<NotificationTarget>,
  mail: boolean,
): NotificationKindsView => ({
  kinds: kinds.map(({ fields, kind, label, requiresBaseUrl = false }) => ({
    kind,
    label,
    fields: fields.map(({ description, isRequired, isSecret, label, name, placeholder }) => ({
      name,
      label,
      description,
      secret: isSecret,
      required: isRequired,
      placeholder,
    })),
    requires_base_url: requiresBaseUrl,
  })),
  mail,
})

/** A target. Fields that its kind declares secret now are omitted, even if they were stored as plain text. */
export const targetView =
  (kinds: ReadonlyArray<NotificationTarget>) =>
  (target: Target): TargetView => {
    const kind = kinds.find((one) => one.kind === target.kind)
    const secrets = kind?.fields.filter(({ isSecret }) => isSecret).map(({ name }) => name) ?? []
    return {
      id: target.id,
      project_id: target.projectId,
      kind: target.kind,
      name: target.name,
      enabled: target.enabled,
      address: Object.fromEntries(Object.entries(target.address).filter(([name]) => !secrets.includes(name))),
      secret_fields: secrets,
      quiet_hours: target.quietHours === null ? null : quietHoursView(target.quietHours),
      failing_since: target.failingSince,
      disabled_reason: target.disabledReason,
      created_at: target.createdAt,
      updated_at: target.updatedAt,
    }
  }

/** The quiet hours of an input, in the core's form. */
export const quietHoursOf = (hours: QuietHoursView | null | undefined): QuietHours | null | undefined =>
  hours === null || hours === undefined
    ? hours
    : { from: minuteOf(hours.from), to: minuteOf(hours.to), timezone: hours.timezone }

// internal

const maxTimezoneLength = 100

const clock = /^([01]\d|2[0-3]):([0-5]\d)$/

const minuteOf = (text: string): number => {
  const [hours = "", minutes = ""] = text.split(":")
  return Number(hours) * 60 + Number(minutes)
}

const textOf = (minute: number): string =>
  [Math.floor(minute / 60), minute % 60].map((part) => String(part).padStart(2, "0")).join(":")

const quietHoursView = ({ from, timezone, to }: QuietHours): QuietHoursView => ({
  from: textOf(from),
  to: textOf(to),
  timezone,
})

function isTexts(value: unknown): value is Readonly<Record<string, string>> {
  if (!isJsonObject(value)) return false
  const values = Object.values(value)
  return values.length <= maxFields && values.every((one) => typeof one === "string")
}

function isQuietHours(value: unknown): value is QuietHoursView | null {
  if (value === null) return true
  if (!isJsonObject(value)) return false
  const { from, timezone, to } = value
  return (
    [from, to].every((time) => typeof time === "string" && clock.test(time)) &&
    typeof timezone === "string" &&
    timezone.length <= maxTimezoneLength
  )
}
