import { activeMute, type Project, ProjectId, type ProjectToken, StorageError } from "@errata/core"
import { type ProjectStore, slugOf, type UnfinishedMute } from "@errata/core/ports"
import { DateTime, Effect, Option } from "effect"
import { pageOf } from "./internal/Pages.js"
import * as ProjectPurge from "./internal/ProjectPurge.js"
import { keyOf, type State } from "./internal/State.js"
import type { Reader, Transaction } from "./internal/Transaction.js"

export const make = (state: State): ProjectStore["Service"] => {
  const update = (transaction: Transaction, id: number, change: (project: Project) => Partial<Project>) => {
    const project = state.projects.get(transaction, id)
    if (project === undefined) return
    state.projects.set(transaction, id, { ...project, ...change(project) })
  }

  const name = (transaction: Transaction, id: number, text: string) => {
    state.projectByName.set(transaction, text, id)
    const slug = slugOf(text)
    const ids = [...(state.projectsBySlug.get(transaction, slug) ?? []), id].sort((a, b) => a - b)
    state.projectsBySlug.set(transaction, slug, ids)
  }

  const unname = (transaction: Transaction, id: number, text: string) => {
    state.projectByName.delete(transaction, text)
    const slug = slugOf(text)
    const ids = (state.projectsBySlug.get(transaction, slug) ?? []).filter((other) => other !== id)
    if (ids.length === 0) state.projectsBySlug.delete(transaction, slug)
    else state.projectsBySlug.set(transaction, slug, ids)
  }

  /** Ids below the cursor, newest first. */
  const ofSlug = (reader: Reader, slug: string, cursor: number | null) =>
    (state.projectsBySlug.get(reader, slug) ?? []).filter((id) => cursor === null || id < cursor).reverse()

  const unfinishedMute = (reader: Reader, projectId: ProjectId): UnfinishedMute | undefined => {
    const mute = state.projects.get(reader, projectId)?.mute ?? null
    const progress = state.unfinishedMutes.get(reader, projectId)
    return mute === null || progress === undefined ? undefined : { projectId, mute, ...progress }
  }

  return {
    insert: (input, now) =>
      Effect.flatten(
        state.write((transaction) => {
          const key = input.key ?? null
          if (state.projectByName.has(transaction, input.name)) return Effect.succeedNone
          if (key !== null && state.projectByKey.has(transaction, key)) return Effect.succeedNone
          if (state.projectByToken.has(transaction, input.token)) {
            return new StorageError({
              operation: "ProjectStore.insert",
              reason: "rejected",
              cause: new Error("a project has this token"),
            })
          }
          const project = {
            ...input,
            key,
            id: ProjectId.make(state.nextId("project")),
            groupsCount: 0,
            reportsCount: 0,
            mute: null,
            errorAndFatalNotificationsOnly: false,
            firstReportAt: null,
            lastReportAt: null,
            lastContactAt: null,
            createdAt: now,
            updatedAt: now,
          }
          state.projects.set(transaction, project.id, project)
          state.projectIds.add(transaction, project.id)
          name(transaction, project.id, project.name)
          if (key !== null) state.projectByKey.set(transaction, key, project.id)
          state.projectByToken.set(transaction, project.token, project.id)
          return Effect.succeedSome(project)
        }),
      ),

    find: (id) => state.read((reader) => Option.fromNullishOr(state.projects.get(reader, id))),

    findByToken: (token) =>
      state.read((reader) => {
        const id = state.projectByToken.get(reader, token)
        return id === undefined
          ? Option.none()
          : Option.some({ id: id as ProjectId, token: token as ProjectToken })
      }),

    findByKey: (key) =>
      state.read((reader) => {
        const id = state.projectByKey.get(reader, key)
        return Option.fromNullishOr(id === undefined ? undefined : state.projects.get(reader, id))
      }),

    bind: (id, key) =>
      state.write((transaction) => {
        const isFree = state.projects.get(transaction, id)?.key === null
        if (!isFree || state.projectByKey.has(transaction, key)) return Option.none()
        update(transaction, id, () => ({ key }))
        state.projectByKey.set(transaction, key, id)
        return Option.fromNullishOr(state.projects.get(transaction, id))
      }),

    list: ({ name, only, slug }, page) =>
      state.read((reader) => {
        const visible = only === null ? null : new Set(only)
        const ids =
          slug === undefined
            ? state.projectIds.descending(reader, page.cursor)
            : ofSlug(reader, slug, page.cursor)
        return pageOf(ids, page, (id) => {
          const project = state.projects.get(reader, id)
          const passes = (visible?.has(id) ?? true) && (name === null || project?.name === name)
          return passes ? project : undefined
        })
      }),

    liveIds: state.read((reader) => [...state.projectIds.ascending(reader)]),

    update: (id, { errorAndFatalNotificationsOnly, name: newName, platform, timezone, token }, now) =>
      state.write((transaction) => {
        const project = state.projects.get(transaction, id)
        if (project === undefined) return Option.none()
        if (newName !== undefined && newName !== project.name) {
          if (state.projectByName.has(transaction, newName)) return Option.none()
          unname(transaction, id, project.name)
          name(transaction, id, newName)
        }
        if (token !== undefined) {
          state.projectByToken.delete(transaction, project.token)
          state.projectByToken.set(transaction, token, id)
        }
        update(transaction, id, () => ({
          name: newName ?? project.name,
          platform: platform ?? project.platform,
          token: token ?? project.token,
          timezone: timezone ?? project.timezone,
          errorAndFatalNotificationsOnly:
            errorAndFatalNotificationsOnly ?? project.errorAndFatalNotificationsOnly,
          updatedAt: now,
        }))
        return Option.fromNullishOr(state.projects.get(transaction, id))
      }),

    remove: (id, now) =>
      state.write((transaction) => {
        const project = state.projects.get(transaction, id)
        if (project === undefined) return
        state.projects.delete(transaction, id)
        state.unfinishedMutes.delete(transaction, id)
        state.projectIds.remove(transaction, id)
        unname(transaction, id, project.name)
        state.projectByToken.delete(transaction, project.token)
        if (project.key !== null) state.projectByKey.delete(transaction, project.key)
        state.deletedProjects.set(transaction, id, now.epochMilliseconds)
        const appId = state.appByProject.get(transaction, id)
        if (appId !== undefined) {
          state.appByProject.delete(transaction, id)
          state.appProjectIds.of(appId).remove(transaction, id)
        }
        for (const [userId, user] of state.users.entries(transaction)) {
          if (!user.projectIds.includes(id)) continue
          const projectIds = user.projectIds.filter((projectId) => projectId !== id)
          state.users.set(transaction, userId, { ...user, projectIds })
        }
      }),

    purge: (limit, now) => state.write((transaction) => ProjectPurge.purge(state, transaction, limit, now)),

    setMute: (id, mute, now) =>
      state.write((transaction) => {
        update(transaction, id, () => ({ mute, updatedAt: now }))
        const last = state.groupIds.get(id)?.descending(transaction).next().value
        const isUnfinished = mute !== null && last !== undefined && state.projects.has(transaction, id)
        if (!isUnfinished) state.unfinishedMutes.delete(transaction, id)
        else state.unfinishedMutes.set(transaction, id, { after: 0, last })
      }),

    endMutes: (now) =>
      state.write((transaction) => {
        let ended = 0
        for (const id of [...state.projectIds.ascending(transaction)]) {
          const { mute } = state.projects.get(transaction, id)!
          if (mute === null || activeMute(mute, now) !== null) continue
          if (state.unfinishedMutes.has(transaction, id)) continue
          update(transaction, id, () => ({ mute: null, updatedAt: now }))
          ended++
        }
        return ended
      }),

    findUnfinishedMute: (id) => state.read((reader) => Option.fromNullishOr(unfinishedMute(reader, id))),

    unfinishedMutes: state.read((reader) =>
      [...state.projectIds.ascending(reader)]
        .filter((id) => state.unfinishedMutes.has(reader, id))
        .map((id) => ProjectId.make(id)),
    ),

    advanceMute: (unfinished, after) =>
      state.write((transaction) => {
        const { projectId } = unfinished
        const current = unfinishedMute(transaction, projectId)
        if (
          current === undefined ||
          current.mute !== unfinished.mute ||
          current.after !== unfinished.after ||
          current.last !== unfinished.last
        ) {
          return false
        }
        if (after >= current.last) state.unfinishedMutes.delete(transaction, projectId)
        else state.unfinishedMutes.set(transaction, projectId, { after, last: current.last })
        return true
      }),

    addCounts: (counts, now) =>
      state.write((transaction) => {
        for (const { groups, projectId, reports } of counts) {
          update(transaction, projectId, (project) => ({
            groupsCount: project.groupsCount + groups,
            reportsCount: project.reportsCount + reports,
            firstReportAt: project.firstReportAt ?? (reports > 0 ? now : null),
            lastReportAt: reports > 0 ? now : project.lastReportAt,
          }))
        }
      }),

    addContacts: (ids, now) =>
      state.write((transaction) => {
        for (const id of ids) update(transaction, id, () => ({ lastContactAt: now }))
      }),

    addDiscarded: (discarded, now) =>
      state.write((transaction) => {
        const day = DateTime.formatIsoDateUtc(now)
        for (const { category, projectId, quantity, reason } of discarded) {
          const key = keyOf(projectId, day, reason, category)
          state.discarded.set(transaction, key, (state.discarded.get(transaction, key) ?? 0) + quantity)
        }
      }),
  }
}
