import type { ProjectId } from "@errata/core"
import type { HostedMapCache, HostedScript } from "@errata/core/ports"
import { Clock, Duration, Effect, Option } from "effect"
import { type HostedMapRow, keyOf, type State } from "./internal/State.js"
import type { Reader, Transaction } from "./internal/Transaction.js"

export const make = (state: State): HostedMapCache["Service"] => {
  const rowsOf = (reader: Reader, projectId: ProjectId) => {
    const prefix = keyOf(projectId, "")
    return [...state.hostedMaps.entries(reader)].filter(([key]) => key.startsWith(prefix))
  }

  const removeWhere = (projectId: ProjectId, is: (row: HostedMapRow) => boolean) =>
    state.write((transaction) => {
      const rows = rowsOf(transaction, projectId).filter(([, row]) => is(row))
      for (const [key] of rows) state.hostedMaps.delete(transaction, key)
      return rows.length
    })

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
    find: (script) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) =>
        state.read((reader) => {
          const row = state.hostedMaps.get(reader, scriptKey(script))
          return row === undefined || row.endsAt <= now ? Option.none() : Option.fromNullishOr(row.outcome)
        }),
      ),

    claim: (script, lease) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) =>
        state.write((transaction) => {
          const row = state.hostedMaps.get(transaction, scriptKey(script))
          if (row !== undefined && row.endsAt > now) return Option.none()
          const claim = state.nextId("hostedMap")
          const endsAt = now + Duration.toMillis(lease)
          state.hostedMaps.set(transaction, scriptKey(script), { claim, endsAt, origins: [], outcome: null })
          return Option.some(claim)
        }),
      ),

    settle: (script, claim, { keep, maxBytes, origins, outcome }) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) =>
        state.write((transaction) => {
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
      ),

    release: (script, claim) => state.write((transaction) => removeClaim(transaction, script, claim)),

    purgeOrigin: (projectId, origin) => removeWhere(projectId, ({ origins }) => origins.includes(origin)),

    forgetMissing: (projectId) =>
      Effect.asVoid(removeWhere(projectId, ({ outcome }) => outcome?._tag === "Missing")),

    expire: (limit) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) =>
        state.write((transaction) => {
          const ended = [...state.hostedMaps.entries(transaction)].filter(([, { endsAt }]) => endsAt <= now)
          for (const [key] of ended.slice(0, limit)) state.hostedMaps.delete(transaction, key)
          return Math.min(ended.length, limit)
        }),
      ),
  }
}

// internal

const scriptKey = ({ projectId, url }: HostedScript): string => keyOf(projectId, url)

const sizeOf = ({ outcome }: HostedMapRow): number =>
  outcome?._tag === "Found" ? outcome.map.json.length : 0
