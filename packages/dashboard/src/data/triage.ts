/** Changes of groups. They are shown immediately, rolled back if the server rejects them, and can be undone. */
import { errorTitle } from "../text/ErrorTitle.js"
import { counted } from "../text/Numbers.js"
import { type nextRelease, releaseText } from "../text/ReleaseText.js"
import { api } from "./client.js"
import { describe } from "./failure.js"
import { type GroupRef, patch, type Row, rowOf, whileChanging } from "./groups.js"
import { notify, notifyFailure } from "./notices.js"
import { cache } from "./query.js"

/** Null unmutes, `{}` has no end. */
export type Mute = {
  readonly occurrences?: number
  readonly snooze_until?: string
  readonly until_release?: typeof nextRelease
} | null

export const setResolved = (refs: ReadonlyArray<GroupRef>, resolved: boolean) =>
  change(resolution, refs, resolved ? {} : null, resolved ? "Resolved" : "Reopened")

/** Resolves groups in a release: reports of older ones leave them so. */
export const setResolvedIn = (refs: ReadonlyArray<GroupRef>, release: string) =>
  change(resolution, refs, { in_release: release }, "Resolved", ` in ${releaseText(release)}`)

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

/** A part of a group's state that users change. */
interface Aspect<V> {
  readonly of: (row: Row) => V
  readonly fields: (value: V) => Partial<Row>
  /** Changes groups of one project with one request; null if the API has none that sets the value of all of them. */
  readonly writeMany: (
    value: V,
    /** The values that the groups have now. */
    current: ReadonlyArray<V>,
  ) => ((projectId: number, ids: ReadonlyArray<number>) => Promise<unknown>) | null
  readonly writeOne: (group: GroupRef, value: V) => Promise<unknown>
  /** Restores the earlier value of a group; `writeOne` if it is absent. */
  readonly restoreOne?: (group: GroupRef, value: V, current: V) => Promise<unknown>
}

/** Null for an open group, `{}` for one that any report reopens. */
type Resolution = { readonly in_release?: string } | null

const resolution: Aspect<Resolution> = {
  of: (row) => {
    if (!row.resolved) return null
    return row.resolved_in_release == null ? {} : { in_release: row.resolved_in_release }
  },
  fields: (value) => ({
    resolved: value !== null,
    resolved_at: value === null ? null : new Date().toISOString(),
    resolved_in_release: value?.in_release ?? null,
    reopened_at: null,
  }),
  writeMany: (value, current) => {
    if (value === null) return api.groups.bulkUnresolve
    const { in_release } = value
    if (in_release === undefined) return api.groups.bulkResolve
    // Bulk requests skip groups that are resolved.
    if (current.some((one) => one !== null)) return null
    return (projectId, ids) => api.groups.bulkResolve(projectId, ids, undefined, { in_release })
  },
  writeOne: ({ id, project_id }, value) => {
    if (value === null) return api.groups.unresolve(project_id, id)
    return value.in_release === undefined
      ? api.groups.resolve(project_id, id)
      : api.groups.resolve(project_id, id, value)
  },
  restoreOne: async (group, value, current) => {
    // The server keeps the release of a group that is resolved without one.
    if (value !== null && value.in_release === undefined && current?.in_release !== undefined) {
      await resolution.writeOne(group, null)
    }
    await resolution.writeOne(group, value)
  },
}

const muting: Aspect<Mute> = {
  of: (row) => {
    if (row.muted_at === null) return null
    if (row.muted_until !== null) return { snooze_until: row.muted_until }
    if (row.muted_until_release != null) return { until_release: row.muted_until_release }
    return row.muted_until_reports_count === null
      ? {}
      : { occurrences: Math.max(1, row.muted_until_reports_count - row.reports_count) }
  },
  fields: (mute) => ({
    muted: mute !== null,
    muted_at: mute === null ? null : new Date().toISOString(),
    muted_until: mute?.snooze_until?.includes("T") ? mute.snooze_until : null,
    muted_until_release: mute?.until_release ?? null,
    mute_source: mute === null ? null : "manual",
  }),
  writeMany: (mute, current) => {
    if (mute === null) return api.groups.bulkUnmute
    if (Object.keys(mute).length === 0) return api.groups.bulkMute
    const { until_release } = mute
    // Bulk requests skip groups that are muted.
    if (until_release === undefined || current.some((one) => one !== null)) return null
    return (projectId, ids) => api.groups.bulkMute(projectId, ids, undefined, { until_release })
  },
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
  how = "",
): Promise<void> => {
  const before = refs.map((ref) => ({ ref, row: rowOf(ref)?.peek() }))
  const current = before.flatMap(({ row }) => (row === undefined ? [] : [aspect.of(row)]))
  const many = refs.length === 1 ? null : aspect.writeMany(value, current)
  if (many === null && refs.length > maxSingly) {
    notify(`Select at most ${maxSingly} groups for this action.`)
    return
  }
  patch(refs, () => aspect.fields(value))
  const failures = await whileChanging(refs, () =>
    many === null ? pooled(refs, (ref) => aspect.writeOne(ref, value)) : byProject(refs, many),
  )
  for (const { ref, row } of before) {
    if (row !== undefined && failures.has(ref)) patch([ref], () => aspect.fields(aspect.of(row)))
  }
  refresh()
  const changed = before.filter(({ ref }) => !failures.has(ref))
  if (failures.size > 0) notifyFailure(failureText(failures))
  if (changed.length === 0) return
  const restore = aspect.restoreOne ?? aspect.writeOne
  notify(`${verb} ${groupsOf(changed.length)}${how}.`, async () => {
    for (const { ref, row } of changed) {
      if (row === undefined) continue
      patch([ref], () => aspect.fields(aspect.of(row)))
    }
    const failed = await pooled(changed, ({ ref, row }) =>
      row === undefined ? Promise.resolve() : restore(ref, aspect.of(row), value),
    )
    refresh()
    const [failure] = failed.values()
    if (failure !== undefined) throw failure
  })
}

/** The most groups that are changed by one request each. */
const maxSingly = 100

/** The most failures that a message lists. */
const maxListed = 5

/** One line for each group that failed, with its title and the cause. */
const failureText = (failures: ReadonlyMap<GroupRef, unknown>): string => {
  const titleOf = (ref: GroupRef) => {
    const row = rowOf(ref)?.peek()
    return row === undefined ? `Group ${ref.id}` : errorTitle(row, 80)
  }
  const listed = [...failures]
    .slice(0, maxListed)
    .map(([ref, failure]) => `${titleOf(ref)}: ${describe(failure)}`)
  const others = failures.size - listed.length
  return [
    `${groupsOf(failures.size)} not changed.`,
    ...listed,
    ...(others > 0 ? [`And ${others} more.`] : []),
  ].join("\n")
}

type WriteMany = NonNullable<ReturnType<Aspect<unknown>["writeMany"]>>

/** Writes with one request for each project. Returns the failures by group. */
const byProject = async (
  refs: ReadonlyArray<GroupRef>,
  write: WriteMany,
): Promise<ReadonlyMap<GroupRef, unknown>> => {
  const projects = [...Map.groupBy(refs, ({ project_id }) => project_id)]
  const failed = await pooled(projects, ([projectId, own]) =>
    write(
      projectId,
      own.map(({ id }) => id),
    ),
  )
  return new Map([...failed].flatMap(([[, own], failure]) => own.map((ref) => [ref, failure] as const)))
}

const atOnce = 6

/** Processes items, a few concurrently. Returns the failures by item. */
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
