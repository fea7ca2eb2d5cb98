/** Sends digests: the errors of a project in a day or a week, to people who asked for it. */
import { DateTime, Duration, Effect, Option } from "effect"
import { ActivityStore } from "../activity/ActivityStore.js"
import { DeliveryStore } from "../delivery/DeliveryStore.js"
import type { ListedGroup } from "../group/Group.js"
import * as GroupFilter from "../group/GroupFilter.js"
import { GroupStore } from "../group/GroupStore.js"
import * as WebUrl from "../group/WebUrl.js"
import type { DigestSubscription } from "../notification/MemberMail.js"
import { MemberMailStore } from "../notification/MemberMailStore.js"
import * as Notification from "../notification/Notification.js"
import { sendsMail } from "../notification/NotificationTarget.js"
import { TargetStore } from "../notification/TargetStore.js"
import type { Project, ProjectId } from "../project/Project.js"
import { ProjectStore } from "../project/ProjectStore.js"
import * as Transactions from "../storage/Transactions.js"
import * as History from "./History.js"
import * as Notifier from "./Notifier.js"
import { localTime } from "./QuietHours.js"

/** Sends all due digests. Returns their number. */
export const sendDue = Effect.gen(function* () {
  if (!(yield* sendsMail)) return 0
  const mail = yield* MemberMailStore
  let after = { projectId: 0, userId: 0 }
  let sent = 0
  while (true) {
    const page = yield* mail.digests(after, batchSize)
    for (const digest of page) sent += yield* sendOne(digest)
    const last = page.at(-1)
    if (last === undefined || page.length < batchSize) return sent
    after = last
    yield* Effect.yieldNow
  }
}).pipe(Effect.withSpan("DigestJob.sendDue"))

/** The job, as `Job` describes it. */
export const job = {
  name: "send-digests",
  run: sendDue,
}

/** The period of a digest that ended last: at 8:00 by the clocks of the project, on Mondays for a week. */
export const lastPeriod = (
  digest: DigestSubscription["digest"],
  timezone: string,
  now: DateTime.Utc,
): { readonly since: DateTime.Utc; readonly until: DateTime.Utc } => {
  const local = localTime(now, timezone)
  const morning = DateTime.setParts(local, { hour: sendingHour, minute: 0, second: 0, millisecond: 0 })
  const begun = DateTime.isGreaterThan(morning, local) ? DateTime.add(morning, { days: -1 }) : morning
  // Weekdays are 0 for Sunday to 6.
  const sinceMonday = digest === "weekly" ? (DateTime.getPart(begun, "weekDay") + 6) % 7 : 0
  const until = DateTime.add(begun, { days: -sinceMonday })
  const since = DateTime.add(until, { days: digest === "weekly" ? -7 : -1 })
  return { since: DateTime.toUtc(since), until: DateTime.toUtc(until) }
}

// internal

const batchSize = 100
const sendingHour = 8
const maxLines = 5
const maxGroups = 1_000

const sendOne = Effect.fnUntraced(function* (digest: DigestSubscription) {
  const { lastAt, projectId, userId } = digest
  const projects = yield* ProjectStore
  const mail = yield* MemberMailStore
  const transaction = yield* Transactions.make
  const project = Option.getOrNull(yield* projects.find(projectId))
  if (project === null) return 0
  const now = yield* DateTime.now
  const period = lastPeriod(digest.digest, project.timezone, now)
  if (lastAt !== null && lastAt.epochMilliseconds >= period.until.epochMilliseconds) return 0
  const content = yield* contentOf(project, digest, period)
  return yield* transaction(
    Effect.gen(function* () {
      if (!(yield* mail.advanceDigest(digest, period.until)) || content === null) return 0
      const deliveries = yield* DeliveryStore
      const targets = yield* TargetStore
      const targetId = yield* targets.membersOf(projectId, now)
      const requestBody = Notification.encode({ ...content, at: now })
      const event = "notification.digest" as const
      const none = { groupId: null, ruleId: null, recipient: null, resendOf: null, heldBack: null }
      yield* deliveries.insert([{ ...none, projectId, targetId, event, userId, requestBody }], now)
      return 1
    }),
  )
})

type Period = ReturnType<typeof lastPeriod>

/** Null if nothing happened. */
const contentOf = Effect.fnUntraced(function* (project: Project, digest: DigestSubscription, period: Period) {
  const address = yield* WebUrl.WebAddress
  const { id: projectId, name } = project
  const created = yield* createdIn(projectId, period)
  const reopened = (yield* History.changes(projectId, period.since, maxGroups)).filter(
    ({ at, type }) => type === "reopened" && at.epochMilliseconds < period.until.epochMilliseconds,
  )
  const worst = yield* worstIn(projectId, period)
  const resolved = yield* resolvedIn(projectId, period)
  const reopenedGroups = yield* byIds(projectId, [...new Set(reopened.map(({ groupId }) => groupId))])
  if (created.length + reopenedGroups.length + worst.length + resolved.count === 0) return null
  const lineOf = (group: ListedGroup, suffix = ""): Notification.NotifiedLine => ({
    text: `${Notification.titleOf(group)}${suffix}`,
    url: WebUrl.groupUrl(address, group),
  })
  const interval = digest.digest === "weekly" ? "week" : "day"
  return {
    version: 1 as const,
    id: `${projectId}-digest-${digest.userId}-${period.until.epochMilliseconds}`,
    kind: "digest" as const,
    project: yield* Notifier.projectOf(projectId, name),
    rule: null,
    reason: `${countText(created.length, "new error")} and ${reopenedGroups.length} reopened in the last ${interval}`,
    group: null,
    sections: [
      section(
        "New",
        created.map((group) => lineOf(group)),
      ),
      section(
        "Reopened",
        reopenedGroups.map((group) => lineOf(group)),
      ),
      section(
        "Most reports",
        worst.map(({ group, reports }) => lineOf(group, `: ${countText(reports, "report")}`)),
      ),
      section("Resolved", resolved.lines),
    ].filter(({ lines }) => lines.length > 0),
    settingsUrl: WebUrl.alertsUrl(address, projectId),
  }
})

const countText = (count: number, one: string): string => `${count} ${count === 1 ? one : `${one}s`}`

const section = (title: string, lines: ReadonlyArray<Notification.NotifiedLine>) => ({
  title,
  lines:
    lines.length > maxLines
      ? [...lines.slice(0, maxLines), { text: `and ${lines.length - maxLines} more`, url: null }]
      : lines,
})

const list = Effect.fnUntraced(function* (projectId: ProjectId, more: Partial<GroupFilter.GroupFilter>) {
  const groups = yield* GroupStore
  const page = { limit: maxGroups, cursor: null }
  const { items } = yield* groups.list(projectId, { ...GroupFilter.all, ...more }, page, yield* DateTime.now)
  return items
})

const byIds = (projectId: ProjectId, ids: ReadonlyArray<ListedGroup["id"]>) =>
  ids.length === 0 ? Effect.succeed([]) : list(projectId, { ids })

const createdIn = (projectId: ProjectId, { since, until }: Period) =>
  Effect.map(list(projectId, { createdFrom: since.epochMilliseconds }), (groups) =>
    groups.filter(({ createdAt }) => createdAt.epochMilliseconds < until.epochMilliseconds),
  )

const worstIn = Effect.fnUntraced(function* (projectId: ProjectId, { since, until }: Period) {
  const activity = yield* ActivityStore
  const hourOf = (time: DateTime.Utc) => Math.floor(time.epochMilliseconds / 3_600_000) * 60
  const range = { since: hourOf(since), until: hourOf(until), step: "hour" } as const
  const busiest = yield* activity.busiest(projectId, range, 1, maxLines)
  const groups = yield* byIds(
    projectId,
    busiest.map(({ groupId }) => groupId),
  )
  return busiest.flatMap(({ groupId, reports }) => {
    const group = groups.find(({ id }) => id === groupId)
    return group === undefined ? [] : [{ group, reports }]
  })
})

/** The number of groups resolved in a period, and the mean time from the first report to the resolution. */
const resolvedIn = Effect.fnUntraced(function* (projectId: ProjectId, { since, until }: Period) {
  const groups = yield* list(projectId, { resolvedFrom: since.epochMilliseconds })
  const times = groups.flatMap(({ createdAt, resolution }) => {
    const at = resolution?.at.epochMilliseconds
    return at === undefined || at >= until.epochMilliseconds ? [] : [at - createdAt.epochMilliseconds]
  })
  const count = times.length
  if (count === 0) return { count, lines: [] }
  const mean = Duration.millis(times.reduce((sum, time) => sum + time, 0) / count)
  const text = `${countText(count, "error")}, ${rounded(mean)} after they were created on average`
  return { count, lines: [{ text, url: null }] }
})

/** `5 minutes`, `3 hours` or `2 days`. */
const rounded = (duration: Duration.Duration): string => {
  const hours = Duration.toHours(duration)
  if (hours < 1) return countText(Math.max(1, Math.round(Duration.toMinutes(duration))), "minute")
  return hours < 48 ? countText(Math.round(hours), "hour") : countText(Math.round(hours / 24), "day")
}
