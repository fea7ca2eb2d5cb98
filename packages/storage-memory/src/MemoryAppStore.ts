import { type App, AppId, ProjectId } from "@errata/core"
import type { AppStore, RefusedProject } from "@errata/core/ports"
import { Option } from "effect"
import { pageOf } from "./internal/Pages.js"
import type { State } from "./internal/State.js"
import type { Reader, Transaction } from "./internal/Transaction.js"

export const make = (state: State): AppStore["Service"] => {
  const projectIdsOf = (reader: Reader, id: number): ReadonlyArray<ProjectId> =>
    [...(state.appProjectIds.get(id)?.ascending(reader) ?? [])]
      .filter((projectId) => state.projects.has(reader, projectId))
      .map((projectId) => ProjectId.make(projectId))

  const find = (reader: Reader, id: number): App | undefined => {
    const row = state.apps.get(reader, id)
    return row && { ...row, projectIds: projectIdsOf(reader, id) }
  }

  const leave = (transaction: Transaction, id: number, projectId: number) => {
    state.appByProject.delete(transaction, projectId)
    state.appProjectIds.of(id).remove(transaction, projectId)
  }

  return {
    insert: (name, now) =>
      state.write((transaction) => {
        if (state.appByName.has(transaction, name)) return Option.none()
        const id = AppId.make(state.nextId("app"))
        state.apps.set(transaction, id, { id, name, createdAt: now, updatedAt: now })
        state.appIds.add(transaction, id)
        state.appByName.set(transaction, name, id)
        return Option.fromNullishOr(find(transaction, id))
      }),

    find: (id) => state.read((reader) => Option.fromNullishOr(find(reader, id))),

    lock: (id) => state.read((reader) => Option.fromNullishOr(find(reader, id))),

    list: ({ only }, page) =>
      state.read((reader) => {
        const visible = only === null ? null : new Set(only)
        return pageOf(state.appIds.descending(reader, page.cursor), page, (id) => {
          const app = find(reader, id)
          return visible === null || app?.projectIds.some((projectId) => visible.has(projectId))
            ? app
            : undefined
        })
      }),

    rename: (id, name, now) =>
      state.write((transaction) => {
        const row = state.apps.get(transaction, id)
        const holder = state.appByName.get(transaction, name)
        if (row === undefined || (holder !== undefined && holder !== id)) return false
        state.appByName.delete(transaction, row.name)
        state.appByName.set(transaction, name, id)
        state.apps.set(transaction, id, { ...row, name, updatedAt: now })
        return true
      }),

    setProjects: (id, projectIds, now) =>
      state.write((transaction) => {
        for (const projectId of [...(state.appProjectIds.get(id)?.ascending(transaction) ?? [])]) {
          leave(transaction, id, projectId)
        }
        const refused: Array<RefusedProject> = []
        for (const projectId of projectIds) {
          if (!state.projects.has(transaction, projectId)) refused.push({ projectId, reason: "unknown" })
          else if (state.appByProject.has(transaction, projectId)) {
            refused.push({ projectId, reason: "in_another_app" })
          } else {
            state.appByProject.set(transaction, projectId, id)
            state.appProjectIds.of(id).add(transaction, projectId)
          }
        }
        const row = state.apps.get(transaction, id)
        if (row !== undefined) state.apps.set(transaction, id, { ...row, updatedAt: now })
        return refused
      }),

    remove: (id) =>
      state.write((transaction) => {
        const row = state.apps.get(transaction, id)
        if (row === undefined) return false
        for (const projectId of [...(state.appProjectIds.get(id)?.ascending(transaction) ?? [])]) {
          leave(transaction, id, projectId)
        }
        state.apps.delete(transaction, id)
        state.appIds.remove(transaction, id)
        state.appByName.delete(transaction, row.name)
        return true
      }),
  }
}
