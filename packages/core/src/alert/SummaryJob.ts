/** Sends one message about all that a limit or quiet hours held back, once their time is over. */
import { Array, DateTime, Effect, Option } from "effect"
import { DeliveryStore, type HeldBack, type NewDelivery } from "../delivery/DeliveryStore.js"
import * as WebUrl from "../group/WebUrl.js"
import * as Notification from "../notification/Notification.js"
import { TargetStore } from "../notification/TargetStore.js"
import { ProjectStore } from "../project/ProjectStore.js"
import * as Transactions from "../storage/Transactions.js"
import { AlertStore, type NotificationWindow } from "./AlertStore.js"
import * as Notifier from "./Notifier.js"

/** Summarizes all windows that have ended. Returns the number of messages. */
export const summarize = Effect.gen(function* () {
  const alerts = yield* AlertStore
  const transaction = yield* Transactions.make
  let made = 0
  while (true) {
    const now = yield* DateTime.now
    const windows = yield* transaction(
      Effect.gen(function* () {
        const ended = yield* alerts.takeEndedWindows(now, batchSize)
        for (const window of ended) made += yield* summarizeOne(window, now)
        return ended.length
      }),
    )
    if (windows === 0) return made
    yield* Effect.yieldNow
  }
}).pipe(Effect.withSpan("SummaryJob.summarize"))

/** The job, as `Job` describes it. */
export const job = {
  name: "summarize-notifications",
  run: summarize,
}

// internal

const batchSize = 20

const summarizeOne = Effect.fnUntraced(function* (window: NotificationWindow, now: DateTime.Utc) {
  const { endsAt, projectId, startsAt, targetId } = window
  const deliveries = yield* DeliveryStore
  const projects = yield* ProjectStore
  const targets = yield* TargetStore
  const project = Option.getOrNull(yield* projects.find(projectId))
  if (project === null) return 0
  const throttle = targetId === null ? "limit" : "quiet_hours"
  const receivers = yield* deliveries.heldBack(projectId, targetId, throttle, startsAt, endsAt)
  const known = new Map((yield* targets.ofProjects([projectId])).map((target) => [target.id, target]))
  const made: Array<NewDelivery> = []
  for (const held of receivers) {
    const target = known.get(held.targetId)
    if (target?.enabled !== true) continue
    const { recipient, userId } = held
    const one = { targetId: target.id, userId, recipient, quietHours: target.quietHours }
    made.push({
      projectId,
      targetId: target.id,
      groupId: null,
      event: "notification.summary",
      ruleId: null,
      userId,
      recipient,
      resendOf: null,
      requestBody: Notification.encode(yield* contentOf(window, held, project.name, now)),
      heldBack: yield* Notifier.quietReason(projectId, one, now),
    })
  }
  if (made.length > 0) yield* deliveries.insert(made, now)
  return made.length
})

const contentOf = Effect.fnUntraced(function* (
  { endsAt, projectId, startsAt, targetId }: NotificationWindow,
  { count, newest }: HeldBack,
  name: string,
  now: DateTime.Utc,
) {
  const address = yield* WebUrl.WebAddress
  const held = yield* Effect.forEach(newest, (text) => Effect.option(Notification.decode(text)))
  const lines = Array.getSomes(held).map(lineOf)
  const cause = targetId === null ? "by the limit of the hour" : "in quiet hours"
  return {
    version: 1,
    id: `${projectId}-summary-${targetId ?? "project"}-${startsAt.epochMilliseconds}`,
    kind: "summary",
    at: now,
    project: yield* Notifier.projectOf(projectId, name),
    rule: null,
    reason: `${count} ${count === 1 ? "notification was" : "notifications were"} held back ${cause}`,
    group: null,
    sections: [
      {
        title: `${DateTime.formatIso(startsAt)} to ${DateTime.formatIso(endsAt)}`,
        lines:
          lines.length < count ? [...lines, { text: `and ${count - lines.length} more`, url: null }] : lines,
      },
    ],
    settingsUrl: WebUrl.alertsUrl(address, projectId),
  } satisfies Notification.Notification
})

const lineOf = ({ group, project, reason }: Notification.Notification): Notification.NotifiedLine =>
  group === null
    ? { text: reason, url: project.url }
    : { text: `${reason}: ${Notification.titleOf(group)}`, url: group.url }
