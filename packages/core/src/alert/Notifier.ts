/**
 * Creates deliveries for matches: finds the receivers and decides which messages are held back. Uses the caller's
 * transaction, so that no match is lost or sent twice if a node is killed.
 */
import { DateTime, Effect } from "effect"
import { DeliveryStore, type NewDelivery } from "../delivery/DeliveryStore.js"
import { ErrataConfig } from "../ErrataConfig.js"
import * as WebUrl from "../group/WebUrl.js"
import * as Notification from "../notification/Notification.js"
import type { ProjectId } from "../project/Project.js"
import { type AlertMatch, groupIdOf } from "./AlertMatch.js"
import { type AlertState, AlertStore } from "./AlertStore.js"
import * as Decision from "./Decision.js"
import * as QuietHours from "./QuietHours.js"
import * as Recipients from "./Recipients.js"
import * as Snapshot from "./Snapshot.js"

/**
 * Creates deliveries for matches, in order. Returns their number. Call it in the transaction that settles their
 * source.
 */
export const notify = Effect.fn("Notifier.notify")(function* (matches: ReadonlyArray<AlertMatch>) {
  if (matches.length === 0) return 0
  const deliveries = yield* DeliveryStore
  const now = yield* DateTime.now
  const directory = yield* Recipients.read([...new Set(matches.map(({ project }) => project.projectId))])
  const received: Array<Received> = []
  for (const match of matches) {
    const recipients = yield* Recipients.of(directory, match)
    if (recipients.length > 0) received.push({ match, recipients })
  }
  const decided = yield* decide(received, now)
  const made: Array<NewDelivery> = []
  for (const one of decided) made.push(...(yield* deliveriesOf(one, now)))
  if (made.length > 0) yield* deliveries.insert(made, now)
  return made.length
})

/** The quiet hours of a recipient that a message falls into: the reason to hold it back, counted for the summary. */
export const quietReason = Effect.fnUntraced(function* (
  projectId: ProjectId,
  { quietHours, targetId }: Recipients.Recipient,
  now: DateTime.Utc,
) {
  const quiet = quietHours === null ? null : QuietHours.at(quietHours, now)
  if (quiet === null) return null
  const alerts = yield* AlertStore
  yield* alerts.countNotifications({ projectId, targetId, ...quiet }, 1, 0)
  return { throttle: "quiet_hours", reason: `quiet hours until ${DateTime.formatIso(quiet.endsAt)}` } as const
})

/** The base of a notification about a project. */
export const projectOf = Effect.fnUntraced(function* (projectId: ProjectId, name: string) {
  const address = yield* WebUrl.WebAddress
  return { id: projectId, name, url: WebUrl.projectUrl(address, projectId) }
})

// internal

interface Received {
  readonly match: AlertMatch
  readonly recipients: ReadonlyArray<Recipients.Recipient>
}

interface Decided extends Received {
  readonly heldBack: NewDelivery["heldBack"]
}

/** Decides which matches are sent, held back or no news, and writes the states of their rules. */
const decide = Effect.fnUntraced(function* (received: ReadonlyArray<Received>, now: DateTime.Utc) {
  const alerts = yield* AlertStore
  const { notifications } = yield* ErrataConfig
  const places = received.flatMap(({ match }) => Decision.placeOf(match) ?? [])
  const known = new Map((yield* alerts.lockStates(places)).map((state) => [Decision.keyOf(state), state]))
  const changed = new Map<string, AlertState>()
  const decided: Array<Decided> = []
  for (const one of received) {
    const place = Decision.placeOf(one.match)
    if (place === null) {
      decided.push({ ...one, heldBack: null })
      continue
    }
    const key = Decision.keyOf(place)
    const decision = Decision.make(one.match, { ...place, ...(known.get(key) ?? Decision.unknown) }, now)
    if (decision === null) continue
    known.set(key, decision.state)
    changed.set(key, decision.state)
    decided.push({ ...one, heldBack: decision.heldBack })
  }
  if (changed.size > 0) yield* alerts.putStates([...changed.values()])
  return yield* withLimit(decided, notifications.maxPerHour, now)
})

/** Holds back the notifications of a project that are too many in this hour. */
const withLimit = Effect.fnUntraced(function* (
  decided: ReadonlyArray<Decided>,
  limit: number,
  now: DateTime.Utc,
) {
  const alerts = yield* AlertStore
  const isCounted = ({ heldBack, match }: Decided) =>
    heldBack === null && match.kind === "alert" && match.rule !== null
  const left = new Map<ProjectId, number>()
  const startsAt = DateTime.startOf(now, "hour")
  const endsAt = DateTime.add(startsAt, { hours: 1 })
  for (const [projectId, some] of Map.groupBy(
    decided.filter(isCounted),
    ({ match }) => match.project.projectId,
  )) {
    left.set(
      projectId,
      yield* alerts.countNotifications({ projectId, targetId: null, startsAt, endsAt }, some.length, limit),
    )
  }
  return decided.map((one): Decided => {
    if (!isCounted(one)) return one
    const { projectId } = one.match.project
    const allowed = left.get(projectId) ?? 0
    left.set(projectId, allowed - 1)
    return allowed > 0
      ? one
      : { ...one, heldBack: { throttle: "limit", reason: `more than ${limit} notifications in this hour` } }
  })
})

const deliveriesOf = Effect.fnUntraced(function* (
  { heldBack, match, recipients }: Decided,
  now: DateTime.Utc,
) {
  const { projectId } = match.project
  const held: Array<NewDelivery["heldBack"]> = []
  for (const recipient of recipients) held.push(heldBack ?? (yield* quietReason(projectId, recipient, now)))
  // Only for sent messages, because many may be held back.
  const isSent = held.some((reason) => reason === null)
  const requestBody = Notification.encode(yield* contentOf(match, isSent))
  return recipients.map(
    ({ recipient, targetId, userId }, i): NewDelivery => ({
      projectId,
      targetId,
      groupId: groupIdOf(match),
      event: `notification.${match.kind}`,
      ruleId: match.rule?.id ?? null,
      userId,
      recipient,
      resendOf: null,
      requestBody,
      heldBack: held[i] ?? null,
    }),
  )
})

const contentOf = Effect.fnUntraced(function* (match: AlertMatch, isSent: boolean) {
  const { at, group, kind, occurrence, project, reason, rule } = match
  const address = yield* WebUrl.WebAddress
  return {
    version: 1,
    id: `${project.projectId}-${rule?.id ?? "assigned"}-${occurrence}`,
    kind,
    at,
    project: yield* projectOf(project.projectId, project.name),
    rule: rule && { id: rule.id, name: rule.name },
    reason,
    group:
      group &&
      (yield* isSent ? Snapshot.ofGroup(project.projectId, group) : Snapshot.brief(project.projectId, group)),
    sections: [],
    settingsUrl: WebUrl.alertsUrl(address, project.projectId),
  } satisfies Notification.Notification
})
