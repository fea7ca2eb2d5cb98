/**
 * Random merges, unmerges, reports and notes in one project. A twin project gets the same reports and notes but no
 * merges. Merged groups must show the combined data of the twin's groups, and each group its own after all unmerges.
 */
import { type Group, GroupFilter, type GroupId, type ProjectId, Severity } from "@errata/core"
import { NoteStore, ReportStore } from "@errata/core/ports"
import { DateTime, Effect } from "effect"
import * as fc from "fast-check"
import { expect } from "vitest"
import * as Factory from "../Factory.js"
import * as Given from "../Given.js"
import * as TestDecoder from "../TestDecoder.js"
import { idOf } from "./Paging.js"
import { countsOf, given, groupsOf, record } from "./Pipeline.js"

const keys = 5
const tags = 4

const key = fc.nat(keys - 1)

const report = fc.record({
  key,
  severity: fc.constantFrom(...Severity.severities),
  /** Minutes before now. */
  minutes: fc.nat(1000),
  tag: fc.nat(tags - 1),
})

const step = fc.oneof(
  { weight: 3, arbitrary: fc.record({ records: fc.array(report, { minLength: 1, maxLength: 4 }) }) },
  { weight: 1, arbitrary: fc.record({ feedbackOn: fc.nat() }) },
  { weight: 1, arbitrary: fc.record({ noteOn: key }) },
  { weight: 4, arbitrary: fc.record({ mergeInto: key, source: key }) },
  { weight: 2, arbitrary: fc.record({ unmerge: fc.nat() }) },
)

const scenario = fc.record({
  steps: fc.array(step, { minLength: 10, maxLength: 25 }),
  /** The order in which remaining merges are undone. */
  undo: fc.array(fc.nat(), { minLength: keys, maxLength: keys }),
})

type Step = typeof step extends fc.Arbitrary<infer A> ? A : never

/** The same scenarios on each call. */
export const scenarios = (count: number) => fc.sample(scenario, { seed: 20_260_101, numRuns: count })

/** Runs a scenario, comparing both projects repeatedly. */
export const run = ({ steps, undo }: typeof scenario extends fc.Arbitrary<infer A> ? A : never) =>
  Effect.gen(function* () {
    const model = yield* make
    // Every key has a group from the beginning, so that merges have groups.
    const first = Array.from({ length: keys }, (_, key) => ({
      key,
      severity: "info" as const,
      minutes: 500,
      tag: key % tags,
    }))
    yield* model.take({ records: first })
    for (const step of steps) yield* model.take(step)
    yield* model.check
    for (const unmerge of undo) {
      yield* model.take({ unmerge })
      yield* model.check
    }
    const groups = yield* groupsOf(model.projectId)
    expect(groups.map(({ hasMembers, mergedIntoId }) => [hasMembers, mergedIntoId])).toEqual(
      groups.map(() => [false, null]),
    )
    yield* model.take({ records: first })
    yield* model.check
  })

// internal

/** Visible data of a group. Reports and notes are listed by number, newest first. */
interface Shown {
  readonly severity: Severity.Severity
  readonly first: number
  readonly last: number
  readonly reportsCount: number
  readonly notesCount: number
  readonly reports: ReadonlyArray<number>
  readonly notes: ReadonlyArray<number>
}

const make = Effect.gen(function* () {
  const { project, send } = yield* given
  const twin = yield* Given.project()
  const now = yield* DateTime.now
  const events: Array<{ readonly own: string; readonly twin: string }> = []
  const numberOf = new Map<string, number>()
  /** Target by source. */
  const merges = new Map<number, number>()
  let notes = 0

  const rootOf = (key: number): number => {
    const target = merges.get(key)
    return target === undefined ? key : rootOf(target)
  }

  const groupOf = (projectId: ProjectId, key: number) =>
    Effect.map(groupsOf(projectId), (groups) => groups.find((group) => keyOf(group) === key)!)

  const recordBoth = (records: Extract<Step, { records: unknown }>["records"]) => {
    const payloads = records.map(({ key, minutes, severity, tag }) => {
      const event: TestDecoder.TestEvent = {
        group: `k${key}`,
        message: `k${key}`,
        severity,
        occurredAt: DateTime.subtract(now, { minutes }).epochMilliseconds,
        tags: { t: String(tag) },
      }
      const pair = { own: send(event), twin: TestDecoder.payload(twin.id, event) }
      for (const { eventId } of [pair.own, pair.twin]) numberOf.set(eventId, events.length)
      events.push({ own: pair.own.eventId, twin: pair.twin.eventId })
      return pair
    })
    return record(...payloads.map(({ own }) => own), ...payloads.map(({ twin }) => twin))
  }

  const sayOn = (number: number) => {
    const event = events[number % events.length]!
    const says = (eventId: string) => ({ eventId, name: "", email: "", comments: String(notes) })
    notes++
    const feedback = { group: null, feedback: [says(event.own)] }
    return record(send(feedback), TestDecoder.payload(twin.id, { ...feedback, feedback: [says(event.twin)] }))
  }

  const writeOn = Effect.fnUntraced(function* (key: number) {
    const store = yield* NoteStore
    const content = String(notes++)
    for (const projectId of [project.id, twin.id]) {
      yield* store.append([Factory.newNote(yield* groupOf(projectId, rootOf(key)), { content })])
    }
  })

  const merge = Effect.fnUntraced(function* (into: number, source: number) {
    const [target, root] = [rootOf(into), rootOf(source)]
    if (target === root) return
    yield* Given.merge(yield* groupOf(project.id, target), yield* groupOf(project.id, root))
    merges.set(root, target)
  })

  const unmerge = Effect.fnUntraced(function* (number: number) {
    const sources = [...merges.keys()]
    const source = sources[number % sources.length]
    if (source === undefined) return
    const root = yield* groupOf(project.id, rootOf(source))
    yield* Given.unmerge(root, yield* groupOf(twin.id, source).pipe(Effect.map(own)))
    merges.delete(source)
  })

  /** The project's group for a group of the twin: both were created in the same order. */
  const ids = new Map<number, GroupId>()
  const own = (group: Group): Group => Given.changeGroup(group, { id: ids.get(keyOf(group))! })

  const take = Effect.fnUntraced(function* (step: Step) {
    if ("records" in step) yield* recordBoth(step.records)
    else if ("feedbackOn" in step) yield* sayOn(step.feedbackOn)
    else if ("noteOn" in step) yield* writeOn(step.noteOn)
    else if ("mergeInto" in step) yield* merge(step.mergeInto, step.source)
    else yield* unmerge(step.unmerge)
    if (ids.size === 0) for (const group of yield* groupsOf(project.id)) ids.set(keyOf(group), group.id)
  })

  const show = Effect.fnUntraced(function* (group: Group) {
    const { id, projectId } = group
    const reports = yield* (yield* ReportStore).list(projectId, id, { since: null, until: null }, all)
    const written = yield* (yield* NoteStore).list(projectId, id, all)
    expect(reports.items.every((report) => report.groupId === id)).toBe(true)
    expect(written.items.every((note) => note.groupId === id)).toBe(true)
    return {
      severity: group.severity,
      first: group.firstOccurredAt.epochMilliseconds,
      last: group.lastOccurredAt.epochMilliseconds,
      reportsCount: group.reportsCount,
      notesCount: group.notesCount,
      reports: reports.items.map(({ eventId }) => numberOf.get(eventId!)!),
      notes: written.items.map(({ content }) => Number(/\d+$/.exec(content)![0])),
    } satisfies Shown
  })

  const shownIn = (projectId: ProjectId) =>
    Effect.flatMap(groupsOf(projectId), (groups) =>
      Effect.map(
        Effect.forEach(groups, (group) => Effect.map(show(group), (shown) => [keyOf(group), shown] as const)),
        (entries) => new Map(entries),
      ),
    )

  const check = Effect.gen(function* () {
    const apart = yield* shownIn(twin.id)
    const expected = new Map<number, Shown>()
    for (const [key, shown] of apart) {
      const root = rootOf(key)
      const before = expected.get(root)
      expected.set(root, before === undefined ? shown : plus(before, shown))
    }
    expect(yield* shownIn(project.id)).toEqual(expected)
    for (let tag = 0; tag < tags; tag++) {
      const filter = { ...GroupFilter.all, tags: [{ key: "t", value: String(tag) }] }
      const roots = new Set((yield* groupsOf(twin.id, filter)).map((group) => rootOf(keyOf(group))))
      const found = yield* groupsOf(project.id, filter)
      expect(found.map(keyOf).sort()).toEqual([...roots].sort())
      expect(found.map(idOf)).toEqual(found.map(idOf).sort((a, b) => b - a))
    }
    const counts = yield* countsOf(twin.id)
    expect(yield* countsOf(project.id)).toEqual({ ...counts, groups: counts.groups - merges.size })
  })

  return { projectId: project.id, take, check }
})

const all = { limit: 100, cursor: null }

const keyOf = (group: Group): number => Number(group.errorMessage.slice(1))

const plus = (self: Shown, that: Shown): Shown => ({
  severity: Severity.max(self.severity, that.severity),
  first: Math.min(self.first, that.first),
  last: Math.max(self.last, that.last),
  reportsCount: self.reportsCount + that.reportsCount,
  notesCount: self.notesCount + that.notesCount,
  reports: newestFirst([...self.reports, ...that.reports]),
  notes: newestFirst([...self.notes, ...that.notes]),
})

const newestFirst = (numbers: ReadonlyArray<number>) => [...numbers].sort((a, b) => b - a)
