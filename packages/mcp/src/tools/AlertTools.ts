/** Tools that read rules, targets and notifications. Addresses of targets and receivers are in no result. */
import {
  type AlertRule,
  AlertRules,
  type AlertTrigger,
  type Delivery,
  DeliveryStatus,
  GroupId,
  Notification,
  type Target,
  Targets,
  Triage,
  titleOf,
} from "@errata/core"
import { Effect, Option, Schema } from "effect"
import {
  described,
  Flag,
  Id,
  Integer,
  oneOf,
  optional,
  pageFields,
  present,
  shape,
  Text,
  texts,
} from "../Fields.js"
import { fitted, iso, isoOrNull, pageOutput, pageRequest, untrusted, untrustedFields } from "../Result.js"
import { reading, type Tool } from "../Tool.js"

const RuleJson = shape({
  id: Integer,
  name: Text,
  enabled: Flag,
  when: described("Any of these", texts),
  query: Text,
  environments: texts,
  severities: texts,
  mails_members: Flag,
  all_targets: Flag,
  target_ids: Schema.Array(Integer),
  repeat_minutes: Integer,
})

const listAlertRules = reading({
  name: "list_alert_rules",
  title: "List alert rules",
  description: "Lists the rules that decide about the notifications of a project.",
  input: { project_id: Id },
  output: {
    rules: Schema.Array(RuleJson),
    are_default: described("The project has no rules of its own", Flag),
  },
  handle: Effect.fnUntraced(function* ({ project_id }) {
    const triage = yield* Triage
    const alertRules = yield* AlertRules
    const { areDefault, rules } = yield* alertRules.list(yield* triage.project("alerts.read", project_id))
    return { rules: rules.map(ruleJson), are_default: areDefault }
  }),
})

const TargetJson = shape({
  id: Integer,
  kind: Text,
  name: Text,
  enabled: Flag,
  failing_since: Text,
  disabled_reason: Text,
})

const listTargets = reading({
  name: "list_notification_targets",
  title: "List notification targets",
  description: "Lists the places that notifications of a project go to, without their addresses.",
  input: { project_id: Id },
  output: { targets: Schema.Array(TargetJson) },
  handle: Effect.fnUntraced(function* ({ project_id }) {
    const triage = yield* Triage
    const targets = yield* Targets
    const found = yield* targets.list(yield* triage.project("alerts.read", project_id))
    return { targets: found.map(targetJson) }
  }),
})

const NotificationJson = shape({
  id: Integer,
  target_id: Integer,
  rule_id: Integer,
  group_id: Integer,
  event: Text,
  status: Text,
  held_back_by: Text,
  reason: Text,
  title: Text,
  attempts: Integer,
  response_status: Integer,
  created_at: Text,
  completed_at: Text,
})

const listNotifications = reading({
  name: "list_notifications",
  title: "List notifications",
  description: "Lists what a project sent, held back (throttled) or failed to send, newest first.",
  input: {
    project_id: Id,
    group_id: optional(Id),
    status: optional(oneOf(...DeliveryStatus.literals)),
    ...pageFields,
  },
  output: { notifications: Schema.Array(NotificationJson), ...pageOutput },
  handle: Effect.fnUntraced(function* (input) {
    const triage = yield* Triage
    const targets = yield* Targets
    const project = yield* triage.project("alerts.read", input.project_id)
    const filter = {
      targetId: null,
      ruleId: null,
      groupId: input.group_id === undefined ? null : GroupId.make(input.group_id),
      status: input.status ?? null,
    }
    const page = yield* targets.history(project, filter, pageRequest(input))
    const contents = yield* Effect.forEach(page.items, contentOf)
    const { items, next } = fitted(page, (delivery) =>
      notificationJson(delivery, contents[page.items.indexOf(delivery)] ?? nothing),
    )
    return { ...untrustedFields("title", "reason"), notifications: items, ...next }
  }),
})

export const alertReadingTools: ReadonlyArray<Tool> = [listAlertRules, listTargets, listNotifications]

// internal

const ruleJson = (rule: AlertRule): typeof RuleJson.Type =>
  present<typeof RuleJson.Type>({
    id: rule.id,
    name: untrusted(rule.name, 100),
    enabled: rule.enabled,
    when: rule.triggers.map(whenText),
    query: untrusted(rule.filter.query, 1_000),
    environments: rule.filter.environments.map((each) => untrusted(each, 100)),
    severities: rule.filter.severities,
    mails_members: rule.receivers.members,
    all_targets: rule.receivers.targets === "all",
    target_ids: rule.receivers.targets === "all" ? null : rule.receivers.targets,
    repeat_minutes: rule.repeatMinutes,
  })

const whenText = (trigger: AlertTrigger): string => {
  switch (trigger.type) {
    case "users":
      return `users >= ${trigger.count}`
    case "reports":
      return `reports of the ${trigger.of} > ${trigger.count} in ${trigger.minutes} minutes`
    case "rate":
      return `rate >= ${trigger.factor} times the usual`
    default:
      return trigger.type
  }
}

const targetJson = (target: Target): typeof TargetJson.Type =>
  present<typeof TargetJson.Type>({
    id: target.id,
    kind: target.kind,
    name: untrusted(target.name, 100),
    enabled: target.enabled,
    failing_since: isoOrNull(target.failingSince),
    disabled_reason: target.disabledReason,
  })

type Content = Pick<Notification, "reason" | "group">

const nothing: Content = { reason: "", group: null }

const decode = Schema.decodeEffect(Schema.fromJsonString(Notification))

/** A stored message of an older version may be unreadable. */
const contentOf = ({ requestBody }: Delivery): Effect.Effect<Content> =>
  Effect.map(
    Effect.option(decode(requestBody)),
    Option.getOrElse(() => nothing),
  )

/** Errors are omitted, since responses of receivers can contain an address. */
const notificationJson = (delivery: Delivery, { group, reason }: Content): typeof NotificationJson.Type =>
  present<typeof NotificationJson.Type>({
    id: delivery.id,
    target_id: delivery.targetId,
    rule_id: delivery.ruleId,
    group_id: delivery.groupId,
    event: delivery.event,
    status: delivery.status,
    held_back_by: delivery.throttle,
    reason: untrusted(reason, 200),
    title: group === null ? null : untrusted(titleOf(group), 200),
    attempts: delivery.attempts,
    response_status: delivery.responseStatus,
    created_at: iso(delivery.createdAt),
    completed_at: isoOrNull(delivery.completedAt),
  })
