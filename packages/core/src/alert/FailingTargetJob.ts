/** Disables targets whose messages have failed for days, and notifies the people who made them. */
import { DateTime, Duration, Effect, Option } from "effect"
import { inSteps } from "../background/Job.js"
import { DeliveryStore } from "../delivery/DeliveryStore.js"
import { ErrataConfig } from "../ErrataConfig.js"
import * as WebUrl from "../group/WebUrl.js"
import * as Notification from "../notification/Notification.js"
import { sendsMail } from "../notification/NotificationTarget.js"
import type { Target } from "../notification/Target.js"
import { TargetStore } from "../notification/TargetStore.js"
import { ProjectStore } from "../project/ProjectStore.js"
import * as Transactions from "../storage/Transactions.js"
import * as Notifier from "./Notifier.js"

/** Disables targets that have failed for too long. Returns their number. */
export const disable = Effect.gen(function* () {
  const { notifications } = yield* ErrataConfig
  const targets = yield* TargetStore
  const transaction = yield* Transactions.make
  const reason = `every message failed for ${Duration.format(notifications.disableAfter)}`
  const step = Effect.gen(function* () {
    const now = yield* DateTime.now
    const since = DateTime.subtractDuration(now, notifications.disableAfter)
    const disabled = yield* targets.disableFailing(since, reason, batchSize, now)
    yield* Effect.forEach(disabled, (target) => tell(target, reason, now), { discard: true })
    return disabled.length
  })
  return yield* inSteps(transaction(step), batchSize)
}).pipe(Effect.withSpan("FailingTargetJob.disable"))

/** The job, as `Job` describes it. */
export const job = {
  name: "disable-failing-targets",
  run: disable,
}

// internal

const batchSize = 50

/** By mail, to the person who made the target. The dashboard shows it to everyone. */
const tell = Effect.fnUntraced(function* (target: Target, reason: string, now: DateTime.Utc) {
  const { createdBy, id, name, projectId } = target
  const projects = yield* ProjectStore
  const project = Option.getOrNull(yield* projects.find(projectId))
  if (createdBy === null || !(yield* sendsMail) || project === null) return
  const deliveries = yield* DeliveryStore
  const targets = yield* TargetStore
  const address = yield* WebUrl.WebAddress
  const settingsUrl = WebUrl.alertsUrl(address, projectId)
  const content: Notification.Notification = {
    version: 1,
    id: `${projectId}-disabled-${id}-${now.epochMilliseconds}`,
    kind: "target_disabled",
    at: now,
    project: yield* Notifier.projectOf(projectId, project.name),
    rule: null,
    reason: `The target "${name}" was disabled: ${reason}`,
    group: null,
    sections: [],
    settingsUrl,
  }
  yield* deliveries.insert(
    [
      {
        projectId,
        targetId: yield* targets.membersOf(projectId, now),
        groupId: null,
        event: "notification.target_disabled",
        ruleId: null,
        userId: createdBy,
        recipient: null,
        resendOf: null,
        requestBody: Notification.encode(content),
        heldBack: null,
      },
    ],
    now,
  )
})
