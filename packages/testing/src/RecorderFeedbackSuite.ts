/** Feedback and attachments for events of other payloads, earlier or later: they find their reports and groups. */
import type { Group, ProjectId } from "@errata/core"
import { GroupStore, NoteStore, ReportStore, Storage } from "@errata/core/ports"
import { Array, Deferred, Effect, Fiber } from "effect"
import { expect } from "vitest"
import { advance, type ContractSuite, contractCase, onRealClock, onSecondNode } from "./ContractCase.js"
import * as Given from "./Given.js"
import { passTime } from "./internal/Paging.js"
import {
  deadLettersOf,
  given,
  groupsOf,
  isQueueEmpty,
  onlyGroupOf,
  record,
  recordAll,
} from "./internal/Pipeline.js"

const groupOf = (projectId: ProjectId, message: string) =>
  Effect.flatMap(groupsOf(projectId), (groups) =>
    Effect.orDie(Effect.fromOption(Array.findFirst(groups, ({ errorMessage }) => errorMessage === message))),
  )

/** The same, with a factory of events that are grouped by their message. */
const givenNamed = Effect.map(given, ({ project, send }) => ({
  project,
  send,
  named: (name: string) => send({ group: name, message: name }),
}))

const notesOf = Effect.fnUntraced(function* (group: Group) {
  const notes = yield* NoteStore
  return (yield* notes.list(group.projectId, group.id, { limit: 100, cursor: null })).items
})

const says = (eventId: string) => ({
  eventId,
  name: "Ada",
  email: "ada@example.test",
  comments: "Oh",
})

export const recorderFeedbackSuite: ContractSuite = {
  name: "Recorder of feedback",
  cases: [
    contractCase(
      "adds feedback to the group of its event",
      Effect.gen(function* () {
        const { project, send } = yield* given
        const known = send({ group: "a" })
        yield* record(known, send({ group: null, feedback: [says(known.eventId)] }))
        yield* record(send({ group: null, feedback: [says(known.eventId), says(known.eventId)] }))
        expect((yield* onlyGroupOf(project.id)).notesCount).toBe(3)
        expect(yield* deadLettersOf(project.id)).toEqual([])
        expect(yield* isQueueEmpty).toBe(true)
      }),
    ),

    contractCase(
      "adds feedback to the target that the group of its event was merged into",
      Effect.gen(function* () {
        const { project, send } = yield* given
        const events = ["a", "b", "c"].map((group) => send({ group }))
        yield* record(...events)
        const [c, b, a] = yield* groupsOf(project.id)
        yield* Given.merge(b!, c!)
        yield* Given.merge(a!, b!)
        yield* record(...events.map(({ eventId }) => send({ group: null, feedback: [says(eventId)] })))
        expect(yield* notesOf(yield* onlyGroupOf(project.id))).toHaveLength(3)
      }),
    ),

    contractCase(
      "adds feedback to the target of a merge that is under way",
      Effect.gen(function* () {
        const storage = yield* Storage
        const { named, project, send } = yield* givenNamed
        const event = named("source")
        yield* record(event, named("target"))
        const target = yield* groupOf(project.id, "target")
        const source = yield* groupOf(project.id, "source")
        const merged = yield* Deferred.make<void>()
        const end = yield* Deferred.make<void>()
        const merging = yield* Effect.forkChild(
          storage.transaction(
            Effect.gen(function* () {
              yield* Given.merge(target, source)
              yield* Deferred.succeed(merged, undefined)
              yield* Deferred.await(end)
            }),
          ),
        )
        yield* Deferred.await(merged)
        let located = false
        const noticing = Effect.updateService(ReportStore, (reports) => ({
          ...reports,
          locate: (events) => Effect.tap(reports.locate(events), () => Effect.sync(() => (located = true))),
        }))
        const feedback = send({ group: null, feedback: [says(event.eventId)] })
        const recording = yield* Effect.forkChild(
          onSecondNode(record(feedback, named("other")).pipe(noticing)),
        )
        // Storages that run one transaction at a time block before that.
        for (let i = 0; i < 100 && !located; i++) yield* passTime(storage.ping)
        yield* passTime(storage.ping)
        yield* Deferred.succeed(end, undefined)
        yield* Fiber.join(merging)
        yield* Fiber.join(recording)
        const found = yield* groupOf(project.id, "target")
        expect(found.notesCount).toBe(1)
        expect(yield* notesOf(found)).toHaveLength(1)
        expect(yield* isQueueEmpty).toBe(true)
      }).pipe(onRealClock),
    ),

    contractCase(
      "locks the groups of reports and feedback in one order",
      Effect.gen(function* () {
        const storage = yield* Storage
        const groups = yield* GroupStore
        const { named, project, send } = yield* givenNamed
        const event = named("first")
        yield* record(event)
        yield* record(named("second"))
        const first = yield* groupOf(project.id, "first")
        const second = yield* groupOf(project.id, "second")
        const held = yield* Deferred.make<void>()
        const goOn = yield* Deferred.make<void>()
        const changing = yield* Effect.forkChild(
          storage.transaction(
            Effect.gen(function* () {
              yield* groups.lock(project.id, [first.id])
              yield* Deferred.succeed(held, undefined)
              yield* Deferred.await(goOn)
              yield* groups.lock(project.id, [second.id])
            }),
          ),
        )
        yield* Deferred.await(held)
        let transactions = 0
        const counting = Effect.updateService(Storage, (storage) => ({
          ...storage,
          transaction: (effect) =>
            Effect.suspend(() => {
              transactions++
              return storage.transaction(effect)
            }),
        }))
        const feedback = send({ group: null, feedback: [says(event.eventId)] })
        const recording = yield* Effect.forkChild(
          onSecondNode(record(named("second"), feedback).pipe(counting)),
        )
        yield* passTime(storage.ping)
        yield* Deferred.succeed(goOn, undefined)
        yield* Fiber.join(changing)
        yield* Fiber.join(recording)
        expect(transactions).toBe(1)
        expect((yield* groupOf(project.id, "first")).notesCount).toBe(1)
        expect((yield* groupOf(project.id, "second")).reportsCount).toBe(2)
      }).pipe(onRealClock),
    ),

    contractCase(
      "keeps feedback in the queue until its event arrives",
      Effect.gen(function* () {
        const { project, send } = yield* given
        const late = send({ group: "late" })
        const good = send({ group: "good" })
        yield* record(good, send({ group: null, feedback: [says(late.eventId)] }))
        expect(yield* isQueueEmpty).toBe(false)
        expect((yield* groupsOf(project.id)).map(({ reportsCount }) => reportsCount)).toEqual([1])
        yield* record(late)
        yield* advance("30 seconds")
        yield* recordAll
        const [group] = yield* groupsOf(project.id)
        expect(group).toMatchObject({ reportsCount: 1, notesCount: 1 })
        expect(yield* deadLettersOf(project.id)).toEqual([])
        expect(yield* isQueueEmpty).toBe(true)
      }),
    ),

    contractCase(
      "makes dead letters of feedback and attachments whose event does not come",
      Effect.gen(function* () {
        const { project, send } = yield* given
        const feedback = send({ group: null, feedback: [says("f".repeat(32))] })
        const stray = send({ group: null, attachments: ["stray.log"] })
        yield* record(feedback, send(), stray)
        yield* advance("1 minute")
        yield* recordAll
        expect(yield* deadLettersOf(project.id)).toEqual([])
        yield* advance("1 minute")
        yield* recordAll
        const deadLetters = yield* deadLettersOf(project.id)
        expect(deadLetters.map(([eventId]) => eventId).sort()).toEqual(
          [feedback.eventId, stray.eventId].sort(),
        )
        expect((yield* onlyGroupOf(project.id)).reportsCount).toBe(1)
        expect(yield* isQueueEmpty).toBe(true)
      }),
    ),
  ],
}
