import { type Webhook, WebhookId } from "@errata/core"
import { webhookKind } from "@errata/core/internal"
import type { WebhookStore } from "@errata/core/ports"
import { Option } from "effect"
import type { TargetRow } from "./internal/NotificationTables.js"
import { pageOf } from "./internal/Pages.js"
import type { State } from "./internal/State.js"
import { removeTarget } from "./internal/Targets.js"
import type { Reader } from "./internal/Transaction.js"

export const make = (state: State): WebhookStore["Service"] => {
  /** The row of a webhook. */
  const rowOf = (reader: Reader, projectId: number, id: number): TargetRow | undefined => {
    const row = state.targets.get(reader, id)
    return row?.projectId === projectId && row.kind === webhookKind ? row : undefined
  }

  const find = (reader: Reader, projectId: number, id: number): Webhook | undefined => {
    const row = rowOf(reader, projectId, id)
    return row && toWebhook(row)
  }

  return {
    insert: (input, now) =>
      state.write((transaction) => {
        const id = WebhookId.make(state.nextId("target"))
        const row: TargetRow = {
          ...input,
          ...notOfWebhooks,
          id,
          kind: webhookKind,
          createdAt: now,
          updatedAt: now,
        }
        state.targets.set(transaction, id, row)
        state.targetIds.of(input.projectId).add(transaction, id)
        return toWebhook(row)
      }),

    find: (projectId, id) => state.read((reader) => Option.fromNullishOr(find(reader, projectId, id))),

    list: (projectId, page) =>
      state.read((reader) =>
        pageOf(state.targetIds.get(projectId)?.descending(reader, page.cursor) ?? [], page, (id) =>
          find(reader, projectId, id),
        ),
      ),

    update: (projectId, id, { enabled, events, url }, now) =>
      state.write((transaction) => {
        const row = rowOf(transaction, projectId, id)
        if (row === undefined) return Option.none()
        const changed = {
          ...row,
          url: url ?? row.url,
          events: events ?? row.events,
          enabled: enabled ?? row.enabled,
          updatedAt: now,
        }
        state.targets.set(transaction, id, changed)
        return Option.some(toWebhook(changed))
      }),

    listeners: (projectIds) =>
      state.read((reader) =>
        [...new Set(projectIds)].flatMap((projectId) => {
          const project = state.projects.get(reader, projectId)
          if (project === undefined) return []
          const errorAndFatalOnly = project.errorAndFatalNotificationsOnly
          return [...(state.targetIds.get(projectId)?.ascending(reader) ?? [])].flatMap((id) => {
            const webhook = find(reader, projectId, id)
            return webhook?.enabled
              ? [{ projectId, webhookId: webhook.id, events: webhook.events, errorAndFatalOnly }]
              : []
          })
        }),
      ),

    remove: (projectId, id) =>
      state.write((transaction) => {
        if (rowOf(transaction, projectId, id) === undefined) return false
        removeTarget(state, transaction, projectId, id)
        return true
      }),
  }
}

// internal

/** Fields that only other targets use. */
const notOfWebhooks = {
  name: "",
  address: {},
  quietHours: null,
  failingSince: null,
  disabledReason: null,
  createdBy: null,
} as const

/** Converts a webhook's row, which has a URL, events and a secret. */
const toWebhook = ({
  createdAt,
  enabled,
  events,
  id,
  projectId,
  secret,
  updatedAt,
  url,
}: TargetRow): Webhook => ({
  id,
  projectId,
  url: url!,
  events: events!,
  enabled,
  secret: secret!,
  createdAt,
  updatedAt,
})
