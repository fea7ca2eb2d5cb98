import { membersKind, TargetId, webhookKind } from "@errata/core"
import { keyIdOf, type StoredSecret, type StoredTarget, type TargetStore } from "@errata/core/ports"
import { DateTime, Option } from "effect"
import { pageOf } from "./internal/Pages.js"
import type { State } from "./internal/State.js"
import { removeTarget } from "./internal/Targets.js"
import type { Reader, Transaction } from "./internal/Transaction.js"

export const make = (state: State): TargetStore["Service"] => {
  const rowOf = (reader: Reader, projectId: number, id: number): StoredTarget | undefined => {
    const row = state.targets.get(reader, id)
    return row?.projectId === projectId ? row : undefined
  }

  /** Oldest first, including webhooks. */
  const all = (reader: Reader, projectId: number): ReadonlyArray<StoredTarget> =>
    [...(state.targetIds.get(projectId)?.ascending(reader) ?? [])].flatMap(
      (id) => rowOf(reader, projectId, id) ?? [],
    )

  const withoutWebhooks = (reader: Reader, projectId: number): ReadonlyArray<StoredTarget> =>
    all(reader, projectId).filter(({ kind }) => kind !== webhookKind)

  const add = (transaction: Transaction, fields: Omit<StoredTarget, "id">): StoredTarget => {
    const row = { ...fields, id: TargetId.make(state.nextId("target")) }
    state.targets.set(transaction, row.id, row)
    state.targetIds.of(row.projectId).add(transaction, row.id)
    return row
  }

  /** Oldest first. */
  const secrets = (reader: Reader): ReadonlyArray<StoredSecret> =>
    [...state.targets.entries(reader)]
      .flatMap(([, { id: targetId, projectId, secret }]) =>
        secret === null ? [] : [{ projectId, targetId, secret }],
      )
      .sort((self, that) => self.targetId - that.targetId)

  return {
    insert: (input, limit, now) =>
      state.write((transaction) => {
        const known = withoutWebhooks(transaction, input.projectId).filter(({ kind }) => kind !== membersKind)
        if (limit !== null && known.length >= limit) return Option.none()
        const { events = null, url = null } = input
        return Option.some(
          add(transaction, { ...input, url, events, ...fresh, createdAt: now, updatedAt: now }),
        )
      }),

    find: (projectId, id) => state.read((reader) => Option.fromNullishOr(rowOf(reader, projectId, id))),

    ofProjects: (projectIds) =>
      state.read((reader) =>
        [...new Set(projectIds)]
          .filter((projectId) => state.projects.has(reader, projectId))
          .flatMap((projectId) => withoutWebhooks(reader, projectId))
          .sort((self, that) => self.id - that.id),
      ),

    listWebhooks: (projectId, page) =>
      state.read((reader) =>
        pageOf(state.targetIds.get(projectId)?.descending(reader, page.cursor) ?? [], page, (id) => {
          const row = rowOf(reader, projectId, id)
          return row?.kind === webhookKind ? row : undefined
        }),
      ),

    listeners: (projectIds) =>
      state.read((reader) =>
        [...new Set(projectIds)].flatMap((projectId) => {
          const project = state.projects.get(reader, projectId)
          if (project === undefined) return []
          const errorAndFatalOnly = project.errorAndFatalNotificationsOnly
          return all(reader, projectId).flatMap(({ enabled, events, id, kind }) =>
            enabled && kind === webhookKind
              ? [{ projectId, webhookId: id, events: events ?? [], errorAndFatalOnly }]
              : [],
          )
        }),
      ),

    update: (projectId, id, { address, enabled, events, name, quietHours, secret, url }, now) =>
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
          url: url ?? row.url,
          events: events ?? row.events,
          ...(enabled === true ? fresh : {}),
          updatedAt: now,
        }
        state.targets.set(transaction, id, changed)
        return Option.some(changed)
      }),

    remove: (projectId, id) =>
      state.write((transaction) => {
        if (rowOf(transaction, projectId, id) === undefined) return false
        removeTarget(state, transaction, projectId, id)
        return true
      }),

    membersOf: (projectId, now) =>
      state.write((transaction) => {
        const known = all(transaction, projectId).find(({ kind }) => kind === membersKind)
        return (known ?? add(transaction, { ...members, projectId, createdAt: now, updatedAt: now })).id
      }),

    setFailing: (targets, now) =>
      state.write((transaction) => {
        for (const { failing, projectId, targetId } of targets) {
          const row = rowOf(transaction, projectId, targetId)
          if (row === undefined || row.kind === webhookKind) continue
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
          return changed
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
  url: null,
  events: null,
  ...fresh,
} as const
