import { SourcemapOriginId } from "@errata/core"
import type { SourcemapOriginStore } from "@errata/core/ports"
import { Option } from "effect"
import { pageOf } from "./internal/Pages.js"
import { keyOf, type State } from "./internal/State.js"

export const make = (state: State): SourcemapOriginStore["Service"] => ({
  insert: (projectId, origin, now) =>
    state.write((transaction) => {
      const key = keyOf(projectId, origin)
      if (state.originByText.has(transaction, key)) return Option.none()
      const id = SourcemapOriginId.make(state.nextId("origin"))
      const inserted = { id, projectId, origin, createdAt: now, updatedAt: now }
      state.origins.set(transaction, id, inserted)
      state.originIds.of(projectId).add(transaction, id)
      state.originByText.set(transaction, key, id)
      return Option.some(inserted)
    }),

  lockCount: (projectId) =>
    state.read((reader) => [...(state.originIds.get(projectId)?.ascending(reader) ?? [])].length),

  list: (projectId, page) =>
    state.read((reader) =>
      pageOf(state.originIds.get(projectId)?.descending(reader, page.cursor) ?? [], page, (id) =>
        state.origins.get(reader, id),
      ),
    ),

  remove: (projectId, id) =>
    state.write((transaction) => {
      const origin = state.origins.get(transaction, id)
      if (origin?.projectId !== projectId) return Option.none()
      state.origins.delete(transaction, id)
      state.originIds.of(projectId).remove(transaction, id)
      state.originByText.delete(transaction, keyOf(projectId, origin.origin))
      return Option.some(origin)
    }),
})
