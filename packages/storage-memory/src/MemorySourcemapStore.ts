import { type ProjectId, SourcemapOriginId } from "@errata/core"
import type { HostedScript, SourcemapStore } from "@errata/core/ports"
import { Duration, Option } from "effect"
import { pageOf } from "./internal/Pages.js"
import { type HostedMapRow, keyOf, type State } from "./internal/State.js"
import type { Reader, Transaction } from "./internal/Transaction.js"

export const make = (state: State): SourcemapStore["Service"] => {
  const rowsOf = (reader: Reader, projectId: ProjectId) => {
    const prefix = keyOf(projectId, "")
    return [...state.hostedMaps.entries(reader)].filter(([key]) => key.startsWith(prefix))
  }

  const removeWhere = (
    transaction: Transaction,
    projectId: ProjectId,
    is: (row: HostedMapRow) => boolean,
  ) => {
    for (const [key, row] of rowsOf(transaction, projectId)) {
      if (is(row)) state.hostedMaps.delete(transaction, key)
    }
  }

  const removeClaim = (transaction: Transaction, script: HostedScript, claim: number) => {
    const row = state.hostedMaps.get(transaction, scriptKey(script))
    if (row?.claim === claim && row.outcome === null) state.hostedMaps.delete(transaction, scriptKey(script))
  }

  const evict = (transaction: Transaction, projectId: ProjectId, maxBytes: number) => {
    let total = 0
    const newestFirst = rowsOf(transaction, projectId).sort(([, self], [, that]) => that.claim - self.claim)
    for (const [key, row] of newestFirst) {
      total += sizeOf(row)
      if (sizeOf(row) > 0 && total > maxBytes) state.hostedMaps.delete(transaction, key)
    }
  }

  return {
    insertOrigin: (projectId, origin, now) =>
      state.write((transaction) => {
        const key = keyOf(projectId, origin)
        if (state.originByText.has(transaction, key)) return Option.none()
        const id = SourcemapOriginId.make(state.nextId("origin"))
        const inserted = { id, projectId, origin, createdAt: now, updatedAt: now }
        state.origins.set(transaction, id, inserted)
        state.originIds.of(projectId).add(transaction, id)
        state.originByText.set(transaction, key, id)
        removeWhere(transaction, projectId, ({ outcome }) => outcome?._tag === "Missing")
        return Option.some(inserted)
      }),

    lockOriginCount: (projectId) =>
      state.read((reader) => [...(state.originIds.get(projectId)?.ascending(reader) ?? [])].length),

    listOrigins: (projectId, page) =>
      state.read((reader) =>
        pageOf(state.originIds.get(projectId)?.descending(reader, page.cursor) ?? [], page, (id) =>
          state.origins.get(reader, id),
        ),
      ),

    removeOrigin: (projectId, id) =>
      state.write((transaction) => {
        const origin = state.origins.get(transaction, id)
        if (origin?.projectId !== projectId) return false
        state.origins.delete(transaction, id)
        state.originIds.of(projectId).remove(transaction, id)
        state.originByText.delete(transaction, keyOf(projectId, origin.origin))
        removeWhere(transaction, projectId, ({ origins }) => origins.includes(origin.origin))
        return true
      }),

    findMap: (script) =>
      state.read((reader, now) => {
        const row = state.hostedMaps.get(reader, scriptKey(script))
        return row === undefined || row.endsAt <= now ? Option.none() : Option.fromNullishOr(row.outcome)
      }),

    claimMap: (script, lease) =>
      state.write((transaction, now) => {
        const row = state.hostedMaps.get(transaction, scriptKey(script))
        if (row !== undefined && row.endsAt > now) return Option.none()
        const claim = state.nextId("hostedMap")
        const endsAt = now + Duration.toMillis(lease)
        state.hostedMaps.set(transaction, scriptKey(script), { claim, endsAt, origins: [], outcome: null })
        return Option.some(claim)
      }),

    settleMap: (script, claim, { keep, maxBytes, origins, outcome }) =>
      state.write((transaction, now) => {
        const key = scriptKey(script)
        if (state.hostedMaps.get(transaction, key)?.claim !== claim) return
        const isAuthorized = (origin: string) =>
          state.originByText.has(transaction, keyOf(script.projectId, origin))
        if (!origins.every(isAuthorized)) return removeClaim(transaction, script, claim)
        state.hostedMaps.set(transaction, key, {
          claim,
          endsAt: now + Duration.toMillis(keep),
          origins,
          outcome,
        })
        evict(transaction, script.projectId, maxBytes)
      }),

    releaseMap: (script, claim) => state.write((transaction) => removeClaim(transaction, script, claim)),

    expireMaps: (limit) =>
      state.write((transaction, now) => {
        const ended = [...state.hostedMaps.entries(transaction)].filter(([, { endsAt }]) => endsAt <= now)
        for (const [key] of ended.slice(0, limit)) state.hostedMaps.delete(transaction, key)
        return Math.min(ended.length, limit)
      }),
  }
}

// internal

const scriptKey = ({ projectId, url }: HostedScript): string => keyOf(projectId, url)

const sizeOf = ({ outcome }: HostedMapRow): number =>
  outcome?._tag === "Found" ? outcome.map.json.length : 0
