/** Incidents of a service of PagerDuty, by the Events API v2. */
import type { Notification } from "@errata/core"
import { HttpTarget, type NotificationTarget, type TargetField } from "@errata/core/ports"
import { DateTime } from "effect"
import { checkOf, matching } from "./internal/Address.js"
import { contentOf, headlineOf } from "./internal/Content.js"
import { oneLine, orElse } from "./internal/Text.js"

const fields: ReadonlyArray<TargetField> = [
  {
    name: "routing_key",
    label: "Integration key",
    description: "In the service, open Integrations, add Events API v2, and copy its key.",
    isSecret: true,
    isRequired: true,
    placeholder: "0123456789abcdef0123456789abcdef",
  },
  {
    name: "region",
    label: "Region",
    description: "eu if your account is in the European service region, us if it is not.",
    isSecret: false,
    isRequired: false,
    placeholder: "us",
  },
]

/**
 * Sends to PagerDuty. An alert triggers an incident, and its end resolves it. A digest is a change event, which notifies no
 * one.
 */
export const pagerDuty: NotificationTarget = HttpTarget.make({
  kind: "pagerduty",
  label: "PagerDuty",
  fields,
  check: checkOf(fields, {
    routing_key: matching(/^[A-Za-z0-9]{32}$/, "must be an integration key: 32 letters and digits"),
    region: matching(/^(us|eu)$/, "must be us or eu"),
  }),
  request: (notification, { region = "", routing_key = "" }) => {
    const host = region === "eu" ? "events.eu.pagerduty.com" : "events.pagerduty.com"
    return notification.kind === "digest"
      ? { url: `https://${host}/v2/change/enqueue`, body: { routing_key, ...changeOf(notification) } }
      : { url: `https://${host}/v2/enqueue`, body: { routing_key, ...eventOf(notification) } }
  },
})

/** Returns the body of an event that triggers or resolves an incident, without the routing key. */
export const eventOf = (notification: Notification) => {
  const { kind } = notification
  const dedup_key = dedupKey(notification)
  if (kind === "over") return { event_action: "resolve" as const, dedup_key }
  const { links, payload } = changeOf(notification)
  const { group } = notification
  return {
    event_action: "trigger" as const,
    dedup_key,
    client: "Errata",
    ...(links[0] === undefined ? {} : { client_url: links[0].href }),
    links,
    payload: {
      ...payload,
      severity: severityOf(notification),
      ...(group === null ? {} : { class: orElse(oneLine(group.errorType, 200), "Error") }),
    },
  }
}

/** Returns the body of a change event, without the routing key. */
export const changeOf = (notification: Notification) => {
  const content = contentOf(notification)
  const { culprit, facts, footer, frames, links, project, reason, sections } = content
  return {
    payload: {
      summary: oneLine(headlineOf(content), 1_024),
      source: orElse(oneLine(project, 200), "Errata"),
      timestamp: DateTime.formatIso(notification.at),
      custom_details: {
        Reason: oneLine(reason, 200),
        ...(culprit === null ? {} : { Culprit: oneLine(culprit, 200) }),
        ...Object.fromEntries(facts.map(({ label, value }) => [label, oneLine(value, 200)])),
        ...(frames.length === 0 ? {} : { Frames: frames.map((frame) => oneLine(frame, 200)) }),
        ...Object.fromEntries(
          sections.map(({ lines, title }) => [
            orElse(oneLine(title, 100), "Groups"),
            lines.map(({ text }) => oneLine(text, 200)),
          ]),
        ),
        ...(footer === "" ? {} : { Rule: oneLine(notification.rule?.name ?? "", 200) }),
      },
    },
    links: links.map(({ label, url }) => ({ href: url, text: label })),
  }
}

// internal

/** The alert of a rule and its end share a key; every other message has its own. */
const dedupKey = ({ group, id, kind, project, rule }: Notification): string =>
  kind === "alert" || kind === "over"
    ? `errata/project-${project.id}/rule-${rule?.id ?? 0}/group-${group?.id ?? 0}`
    : oneLine(`errata/${kind}/${id}`, 255)

const severityOf = ({ group, kind }: Notification): "critical" | "error" | "warning" | "info" => {
  if (kind === "test") return "info"
  switch (kind === "alert" ? group?.severity : undefined) {
    case "fatal":
      return "critical"
    case "error":
      return "error"
    case "info":
    case "debug":
      return "info"
    default:
      return "warning"
  }
}
