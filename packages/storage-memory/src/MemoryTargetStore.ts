import { membersKind, type Target, TargetId } from "@errata/core"
import { webhookKind } from "@errata/core/internal"
import { keyIdOf, type StoredSecret, type TargetStore } from "@errata/core/ports"
import { DateTime, Option } from "effect"
import type { TargetRow } from "./internal/NotificationTables.js"
import type { State } from "./internal/State.js"
import { removeTarget } from "./internal/Targets.js"
import type { Reader, Transaction } from "./internal/Transaction.js"

export const make = (state: State): TargetStore["Service"] => {
  /** The row of a target other than a webhook. */
  const rowOf = (reader: Reader, projectId: number, id: number): TargetRow | undefined => {
    const row = state.targets.get(reader, id)
    return row?.projectId === projectId && row.kind !== webhookKind ? row : undefined
  }

  const ofProject = (reader: Reader, projectId: number): ReadonlyArray<TargetRow> =>
    [...(state.targetIds.get(projectId)?.ascending(reader) ?? [])].flatMap(
      (id) => rowOf(reader, projectId, id) ?? [],
    )

  const add = (transaction: Transaction, fields: Omit<Target, "id">): Target => {
    const id = TargetId.make(state.nextId("target"))
    state.targets.set(transaction, id, { ...fields, id, url: null, events: null })
    state.targetIds.of(fields.projectId).add(transaction, id)
    return { ...fields, id }
  }

  /** Oldest first, including webhooks. */
  const secrets = (reader: Reader): ReadonlyArray<StoredSecret> =>
    [...state.targets.entries(reader)]
      .flatMap(([, { id: targetId, projectId, secret }]) =>
        secret === null ? [] : [{ projectId, targetId, secret }],
      )
      .sort((self, that) => self.targetId - that.targetId)

  return {
    insert: (input, limit, now) =>
      state.write((transaction) => {
        const known = ofProject(transaction, input.projectId).filter(({ kind }) => kind !== membersKind)
        if (known.length >= limit) return Option.none()
        const fields = { ...input, ...fresh, createdAt: now, updatedAt: now }
        return Option.some(add(transaction, fields))
      }),

    find: (projectId, id) =>
      state.read((reader) => Option.map(Option.fromNullishOr(rowOf(reader, projectId, id)), toTarget)),

    ofProjects: (projectIds) =>
      state.read((reader) =>
        [...new Set(projectIds)]
          .filter((projectId) => state.projects.has(reader, projectId))
          .flatMap((projectId) => ofProject(reader, projectId))
          .sort((self, that) => self.id - that.id)
          .map(toTarget),
      ),

    update: (projectId, id, { address, enabled, name, quietHours, secret }, now) =>
      state.write((transaction) => {
        const row = rowOf(transaction, projectId, id)
        if (row === undefined) return Option.none()
        const changed = {
          ...row,
          name: name ?? row.name,
          enabled: enabled ?? row.enabled,
          address: address ?? row.address,
          secret: secret === undefined ? row.secret : secret,
          quietHours: quietHours === undefined ? row.quietHours : quietHours,
          ...(enabled === true ? fresh : {}),
          updatedAt: now,
        }
        state.targets.set(transaction, id, changed)
        return Option.some(toTarget(changed))
      }),

    remove: (projectId, id) =>
      state.write((transaction) => {
        if (rowOf(transaction, projectId, id) === undefined) return false
        removeTarget(state, transaction, projectId, id)
        return true
      }),

    membersOf: (projectId, now) =>
      state.write((transaction) => {
        const known = ofProject(transaction, projectId).find(({ kind }) => kind === membersKind)
        return (known ?? add(transaction, { ...members, projectId, createdAt: now, updatedAt: now })).id
      }),

    setFailing: (targets, now) =>
      state.write((transaction) => {
        for (const { failing, projectId, targetId } of targets) {
          const row = rowOf(transaction, projectId, targetId)
          if (row === undefined) continue
          const failingSince = failing ? (row.failingSince ?? now) : null
          state.targets.set(transaction, targetId, { ...row, failingSince })
        }
      }),

    disableFailing: (since, disabledReason, limit, now) =>
      state.write((transaction) => {
        const failing = [...state.targets.entries(transaction)]
          .map(([, row]) => row)
          .filter(
            ({ enabled, failingSince, kind, projectId }) =>
              enabled &&
              failingSince !== null &&
              DateTime.isLessThan(failingSince, since) &&
              kind !== webhookKind &&
              kind !== membersKind &&
              state.projects.has(transaction, projectId),
          )
          .slice(0, limit)
        return failing.map((row) => {
          const changed = { ...row, enabled: false, disabledReason, updatedAt: now }
          state.targets.set(transaction, row.id, changed)
          return toTarget(changed)
        })
      }),

    sampleSecrets: state.read((reader) => {
      const samples = new Map<string, StoredSecret>()
      for (const stored of secrets(reader)) samples.set(keyIdOf(stored.secret), stored)
      return [...samples.values()]
    }),

    secretsOfKey: (keyId, limit) =>
      state.read((reader) =>
        secrets(reader)
          .filter(({ secret }) => keyIdOf(secret) === keyId)
          .slice(0, limit),
      ),

    replaceSecret: ({ projectId, secret: former, targetId }, secret) =>
      state.write((transaction) => {
        const row = state.targets.get(transaction, targetId)
        if (row?.projectId !== projectId || row.secret !== former) return false
        state.targets.set(transaction, targetId, { ...row, secret })
        return true
      }),
  }
}

// internal

const fresh = { failingSince: null, disabledReason: null } as const

const members = {
  kind: membersKind,
  name: "",
  enabled: true,
  address: {},
  secret: null,
  quietHours: null,
  createdBy: null,
  ...fresh,
} as const

const toTarget = ({ events, url, ...target }: TargetRow): Target => target
