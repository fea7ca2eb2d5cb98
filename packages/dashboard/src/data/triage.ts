/** Decisions about groups. They show at once, are rolled back if the server refuses them, and can be undone. */
import { counted } from "../text/Numbers.js"
import { api } from "./client.js"
import { type GroupRef, patch, rowOf, whileChanging } from "./groups.js"
import { notify, notifyFailure } from "./notices.js"
import type { Row } from "./pending.js"
import { cache } from "./query.js"

/** Null unmutes, `{}` has no end. */
export type Mute = { readonly occurrences?: number; readonly snooze_until?: string } | null

export const setResolved = (refs: ReadonlyArray<GroupRef>, resolved: boolean) =>
  change(resolution, refs, resolved, resolved ? "Resolved" : "Reopened")

export const setMute = (refs: ReadonlyArray<GroupRef>, value: Mute) =>
  change(muting, refs, value, value === null ? "Unmuted" : "Muted")

/** Assigns groups to a user. Null removes the assignee. */
export const assign = (refs: ReadonlyArray<GroupRef>, userId: number | null, name = "") =>
  change(assignment, refs, userId, userId === null ? "Unassigned" : `Assigned to ${name}:`)

/** Merges groups of one project into another of it. Returns whether the server did. */
export const merge = async (target: GroupRef, sources: ReadonlyArray<GroupRef>): Promise<boolean> => {
  const ids = sources.map(({ id }) => id)
  try {
    await whileChanging(sources, () => api.groups.bulkMerge(target.project_id, target.id, ids))
  } catch (error) {
    notifyFailure("The groups were not merged.", error)
    return false
  }
  patch(sources, () => ({ merged_into: target.id }))
  notify(`Merged ${groupsOf(sources.length)} into group ${target.id}.`, async () => {
    for await (const made of api.merges.list(target.project_id, target.id)) {
      if (ids.includes(made.source_id)) await api.merges.undo(target.project_id, target.id, made.id)
    }
    patch(sources, () => ({ merged_into: undefined }))
    refresh()
  })
  refresh()
  return true
}

// internal

const groupsOf = (size: number): string => counted(size, "group")

/** A part of a group's state that people decide about. */
interface Aspect<V> {
  readonly of: (row: Row) => V
  readonly fields: (value: V) => Partial<Row>
  /** Changes groups of one project with one request; null if the API has none for the value. */
  readonly writeMany: (
    value: V,
  ) => ((projectId: number, ids: ReadonlyArray<number>) => Promise<unknown>) | null
  readonly writeOne: (group: GroupRef, value: V) => Promise<unknown>
}

const resolution: Aspect<boolean> = {
  of: (row) => row.resolved,
  fields: (resolved) => ({ resolved, resolved_at: resolved ? new Date().toISOString() : null }),
  writeMany: (resolved) => (resolved ? api.groups.bulkResolve : api.groups.bulkUnresolve),
  writeOne: ({ id, project_id }, resolved) =>
    resolved ? api.groups.resolve(project_id, id) : api.groups.unresolve(project_id, id),
}

const muting: Aspect<Mute> = {
  of: (row) => {
    if (row.muted_at === null) return null
    if (row.muted_until !== null) return { snooze_until: row.muted_until }
    return row.muted_until_reports_count === null
      ? {}
      : { occurrences: Math.max(1, row.muted_until_reports_count - row.reports_count) }
  },
  fields: (mute) => ({
    muted: mute !== null,
    muted_at: mute === null ? null : new Date().toISOString(),
    muted_until: mute?.snooze_until?.includes("T") ? mute.snooze_until : null,
    mute_source: mute === null ? null : "manual",
  }),
  writeMany: (mute) =>
    mute === null ? api.groups.bulkUnmute : Object.keys(mute).length === 0 ? api.groups.bulkMute : null,
  writeOne: ({ id, project_id }, mute) =>
    mute === null ? api.groups.unmute(project_id, id) : api.groups.mute(project_id, id, mute as object),
}

const assignment: Aspect<number | null> = {
  of: (row) => row.assignee_id,
  fields: (assignee_id) => ({ assignee_id }),
  writeMany: () => null,
  writeOne: ({ id, project_id }, userId) =>
    userId === null ? api.groups.unassign(project_id, id) : api.groups.assign(project_id, id, userId),
}

const change = async <V>(
  aspect: Aspect<V>,
  refs: ReadonlyArray<GroupRef>,
  value: V,
  verb: string,
): Promise<void> => {
  const before = refs.map((ref) => ({ ref, row: rowOf(ref)?.peek() }))
  patch(refs, () => aspect.fields(value))
  const failures = await whileChanging(refs, () => write(aspect, refs, value))
  for (const { ref, row } of before) {
    if (row !== undefined && failures.has(ref)) patch([ref], () => aspect.fields(aspect.of(row)))
  }
  refresh()
  const changed = before.filter(({ ref }) => !failures.has(ref))
  const [failure] = failures.values()
  if (failure !== undefined) notifyFailure(`${groupsOf(failures.size)} not changed.`, failure)
  if (changed.length === 0) return
  notify(`${verb} ${groupsOf(changed.length)}.`, async () => {
    for (const { ref, row } of changed) {
      if (row === undefined) continue
      patch([ref], () => aspect.fields(aspect.of(row)))
    }
    const failed = await pooled(changed, ({ ref, row }) =>
      row === undefined ? Promise.resolve() : aspect.writeOne(ref, aspect.of(row)),
    )
    refresh()
    const [failure] = failed.values()
    if (failure !== undefined) throw failure
  })
}

/** Returns the failures by group. */
const write = async <V>(
  aspect: Aspect<V>,
  refs: ReadonlyArray<GroupRef>,
  value: V,
): Promise<ReadonlyMap<GroupRef, unknown>> => {
  const many = refs.length === 1 ? null : aspect.writeMany(value)
  if (many === null) return pooled(refs, (ref) => aspect.writeOne(ref, value))
  const byProject = [...Map.groupBy(refs, ({ project_id }) => project_id)]
  const failed = await pooled(byProject, ([projectId, own]) =>
    many(
      projectId,
      own.map(({ id }) => id),
    ),
  )
  return new Map([...failed].flatMap(([[, own], failure]) => own.map((ref) => [ref, failure] as const)))
}

const atOnce = 6

/** Works through items, a few at once. Returns the failures by item. */
const pooled = async <A>(
  items: ReadonlyArray<A>,
  work: (item: A) => Promise<unknown>,
): Promise<ReadonlyMap<A, unknown>> => {
  const failures = new Map<A, unknown>()
  const waiting = [...items]
  const worker = async () => {
    for (let item = waiting.shift(); item !== undefined; item = waiting.shift()) {
      try {
        await work(item)
      } catch (failure) {
        failures.set(item, failure)
      }
    }
  }
  await Promise.all(Array.from({ length: atOnce }, worker))
  return failures
}

const refresh = (): void => {
  for (const key of ["group", "groups", "notes", "merges", "count"])
    void cache.invalidateQueries({ queryKey: [key] })
}
