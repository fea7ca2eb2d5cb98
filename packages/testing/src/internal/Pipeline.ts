/** The core's recorder on the storage under test, with a report store that fails for certain events. */
import { type Group, GroupFilter, type ProjectId, StorageError } from "@errata/core"
import { Recorder, RecorderWorker } from "@errata/core/internal"
import { GroupStore, type Payload, PendingPayloads, ProjectStore, ReportStore } from "@errata/core/ports"
import { DateTime, Effect, Layer } from "effect"
import { advance } from "../ContractCase.js"
import * as Given from "../Given.js"
import * as TestDecoder from "../TestDecoder.js"
import { emptyQueue } from "./Queue.js"

const all = { limit: 100, cursor: null }

/** Number of attempts by any recorder, per event with the platform `rejected for a while`. */
const refused = new Map<string, number>()

/** Number of attempts at a report with the platform `hangs`. */
export const hangs = { count: 0 }

/**
 * A report store that fails after the statement, so that the transaction is rolled back. The platform decides how:
 * `rejected` always fails, `rejected for a while` fails three times, `unavailable` and `conflict` fail once with that
 * reason, `hangs` never returns.
 */
const faultyReports = Layer.effect(
  ReportStore,
  Effect.map(ReportStore, (reports) => {
    const met = new Set<string>()
    return ReportStore.of({
      ...reports,
      insert: (batch, now) =>
        Effect.tap(reports.insert(batch, now), () => {
          for (const { event } of batch) {
            if (event.platform === "hangs") {
              hangs.count++
              return Effect.never
            }
            if (event.platform === "rejected") return storageError("rejected")
            if (event.platform === "rejected for a while") {
              const times = (refused.get(event.eventId) ?? 0) + 1
              refused.set(event.eventId, times)
              if (times <= 3) return storageError("rejected")
            }
            if (event.platform === "unavailable" || event.platform === "conflict") {
              if (met.has(event.eventId)) continue
              met.add(event.eventId)
              return storageError(event.platform)
            }
          }
          return Effect.void
        }),
    })
  }),
)

const storageError = (reason: StorageError["reason"]) =>
  new StorageError({ operation: "ReportStore.insert", reason, cause: new Error(`the storage is ${reason}`) })

const recorder = Recorder.Default.pipe(Layer.provide(faultyReports), Layer.provide(TestDecoder.layer))

/** Provides a recorder of the current node. */
export const withRecorder = Effect.provide(recorder)

/** Records the queue until nothing is left that is not leased by others. */
export const recordAll = withRecorder(RecorderWorker.drain)

/** Runs all attempts at suspects. */
export const recordSuspects = Effect.repeat(Effect.andThen(advance("1 hour"), recordAll), { times: 9 })

export const append = (...payloads: ReadonlyArray<Payload>) =>
  Effect.flatMap(PendingPayloads, (pending) => pending.append(payloads))

/** Appends payloads as one batch and records it. */
export const record = (...payloads: ReadonlyArray<Payload>) => Effect.andThen(append(...payloads), recordAll)

/** An empty queue, a project, and a factory of payloads that are received now. */
export const given = Effect.gen(function* () {
  yield* emptyQueue
  const project = yield* Given.project()
  const receivedAt = (yield* DateTime.now).epochMilliseconds
  return {
    project,
    send: (event: TestDecoder.TestEvent = {}, overrides: Partial<Payload> = {}) =>
      TestDecoder.payload(project.id, event, { receivedAt, ...overrides }),
  }
})

export const isQueueEmpty = Effect.gen(function* () {
  const pending = yield* PendingPayloads
  return (yield* pending.size).payloads === 0
})

export const eventIds = (payloads: ReadonlyArray<Payload>) => payloads.map(({ eventId }) => eventId)

export const titlesOf = (groups: ReadonlyArray<Group>) =>
  groups.map(({ errorMessage }) => errorMessage).sort()

/** The groups of a project with their groupings, newest first. */
export const groupsOf = (projectId: ProjectId, filter = GroupFilter.all) =>
  Effect.gen(function* () {
    const groups = yield* GroupStore
    const { items } = yield* groups.list(projectId, filter, all, yield* DateTime.now)
    return yield* Effect.forEach(items, ({ id }) =>
      Effect.flatMap(groups.find(projectId, id), Effect.fromOption),
    )
  })

export const onlyGroupOf = (projectId: ProjectId) =>
  Effect.flatMap(groupsOf(projectId), ([group, ...others]) =>
    group === undefined || others.length > 0
      ? Effect.die(
          new Error(`expected one group, there are ${others.length + (group === undefined ? 0 : 1)}`),
        )
      : Effect.succeed(group),
  )

/** The event ids of a group's reports, newest first. */
export const eventIdsOf = (group: Group) =>
  Effect.gen(function* () {
    const reports = yield* ReportStore
    const eventIds: Array<string | null> = []
    let cursor: number | null = null
    do {
      const page: { items: ReadonlyArray<{ eventId: string | null }>; nextCursor: number | null } =
        yield* reports.list(group.projectId, group.id, { since: null, until: null }, { limit: 100, cursor })
      for (const { eventId } of page.items) eventIds.push(eventId)
      cursor = page.nextCursor
    } while (cursor !== null)
    return eventIds
  })

/** Reasons of a project's dead letters, by event id. */
export const deadLettersOf = (projectId: ProjectId) =>
  Effect.gen(function* () {
    const pending = yield* PendingPayloads
    const { items } = yield* pending.listDeadLetters(all)
    return items
      .filter((item) => item.projectId === projectId)
      .map(({ eventId, reason }) => [eventId, reason] as const)
  })

/** The project's counts of groups and reports. */
export const countsOf = (projectId: ProjectId) =>
  Effect.gen(function* () {
    const projects = yield* ProjectStore
    const { groupsCount, reportsCount } = yield* Effect.fromOption(yield* projects.find(projectId))
    return { groups: groupsCount, reports: reportsCount }
  })
