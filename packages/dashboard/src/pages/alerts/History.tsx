/** The notifications of a project, newest first: sent, held back, and failed. */
import type { Notification } from "@errata/api/promise"
import { useLocation } from "preact-iso/router"
import { rulesQuery } from "../../data/alerts.js"
import { useQuery } from "../../data/query.js"
import { href } from "../../data/root.js"
import { notificationsQuery, polledNotifications, targetsQuery } from "../../data/targets.js"
import { Link } from "../../parts/Link.js"
import { Card, Loaded } from "../../parts/Loaded.js"
import { cursorOf, Pager } from "../../parts/Pager.js"
import { Time } from "../../parts/Time.js"
import { nameOf } from "../../text/Names.js"
import { cut, line } from "../../text/SafeText.js"
import type { SectionProps } from "../settings/SectionProps.js"
import { problemOf, receiverOf, stateOf, states } from "./notificationText.js"

export const History = ({ project }: SectionProps) => {
  const { query } = useLocation()
  const filter = Object.fromEntries(filterNames.map((name) => [name, query[name]]))
  const cursor = cursorOf(query["cursor"])
  const notifications = useQuery({
    ...notificationsQuery(project.id, filter, cursor),
    ...polledNotifications,
  })
  const path = `projects/${project.id}/settings/alerts`
  return (
    <>
      <p class="lead">
        <Link to={path}>All rules and targets</Link>
      </p>
      <Card title="Notifications" actions={<Filters projectId={project.id} filter={filter} />}>
        <Loaded query={notifications} name="notifications">
          {({ next_cursor, notifications: all }) => (
            <>
              {all.length === 0 ? (
                <p class="nothing">
                  {searchOf(filter) === ""
                    ? "Nothing was sent yet. Rules send notifications when a group meets their conditions."
                    : "No notification matches the filters."}
                </p>
              ) : (
                <ul class="rows history">
                  {all.map((notification) => (
                    <Row key={notification.id} notification={notification} />
                  ))}
                </ul>
              )}
              <Pager path={`${path}/history${searchOf(filter)}`} cursor={cursor} next={next_cursor} />
            </>
          )}
        </Loaded>
      </Card>
    </>
  )
}

// internal

const filterNames = ["rule_id", "target_id", "group_id", "status"] as const

type Filter = Readonly<Record<string, string | undefined>>

const searchOf = (filter: Filter): string => {
  const given = Object.entries(filter).flatMap(([name, value]) =>
    value === undefined || value === "" ? [] : [[name, value]],
  )
  return given.length === 0 ? "" : `?${new URLSearchParams(given)}`
}

const Filters = ({ projectId, filter }: { readonly projectId: number; readonly filter: Filter }) => {
  const { route } = useLocation()
  const { data: rules } = useQuery(rulesQuery(projectId))
  const { data: targets = [] } = useQuery(targetsQuery(projectId))
  const select = (
    name: (typeof filterNames)[number],
    label: string,
    options: ReadonlyArray<readonly [value: string, text: string]>,
  ) => (
    <select
      aria-label={label}
      value={filter[name] ?? ""}
      onChange={({ currentTarget }) =>
        route(
          href(
            `projects/${projectId}/settings/alerts/history${searchOf({ ...filter, [name]: currentTarget.value })}`,
          ),
        )
      }
    >
      <option value="">{label}</option>
      {options.map(([value, text]) => (
        <option key={value} value={value}>
          {text}
        </option>
      ))}
    </select>
  )
  const named = (all: ReadonlyArray<{ readonly id: number; readonly name: string }>) =>
    all.map((one) => [String(one.id), line(cut(nameOf(one), 40))] as const)
  return (
    <div class="filters">
      {select("status", "All states", states)}
      {select("rule_id", "All rules", named(rules?.alert_rules ?? []))}
      {select("target_id", "All targets", named(targets))}
      {filter["group_id"] !== undefined && filter["group_id"] !== "" && (
        <Link
          class="button"
          to={`projects/${projectId}/settings/alerts/history${searchOf({ ...filter, group_id: "" })}`}
        >
          Group {line(cut(filter["group_id"], 20))} <span aria-hidden="true">✕</span>
          <span class="visually-hidden">, show all groups</span>
        </Link>
      )}
    </div>
  )
}

const Row = ({ notification }: { readonly notification: Notification }) => {
  const { created_at, group_id, project_id, reason, rule_name, title } = notification
  const { text, tone } = stateOf(notification)
  const problem = problemOf(notification)
  const subject = line(cut(title ?? "", 160))
  return (
    <li>
      <span class={`tag state ${tone}`}>{text}</span>
      <div class="grow">
        <p>
          {line(cut(reason, 160))}
          {subject !== "" && (
            <>
              {" · "}
              {group_id === null ? (
                subject
              ) : (
                <Link to={`projects/${project_id}/groups/${group_id}`}>{subject}</Link>
              )}
            </>
          )}
        </p>
        <p class="faint">
          to {receiverOf(notification)}
          {rule_name !== null && ` · rule ${line(cut(rule_name, 100))}`} · <Time value={created_at} />
        </p>
        {problem !== "" && (
          <p class={notification.status === "failed" ? "field-problem" : "faint"}>{problem}</p>
        )}
      </div>
    </li>
  )
}
