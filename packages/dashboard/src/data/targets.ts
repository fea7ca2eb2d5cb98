/** The targets of a project, and the notifications that were sent. */
import { request } from "./client.js"
import { cache, pollEvery } from "./query.js"

export interface TargetField {
  readonly name: string
  readonly label: string
  readonly description: string
  readonly secret: boolean
  readonly required: boolean
  readonly placeholder: string
}

export interface Kind {
  readonly kind: string
  readonly label: string
  readonly fields: ReadonlyArray<TargetField>
  /** True if messages need links: the kind needs the address of the instance. */
  readonly requires_base_url: boolean
}

export interface Kinds {
  readonly kinds: ReadonlyArray<Kind>
  /** True if the instance can send mail. */
  readonly mail: boolean
}

export interface QuietHours {
  /** `22:00`. */
  readonly from: string
  readonly to: string
  readonly timezone: string
}

export interface Target {
  readonly id: number
  readonly project_id: number
  readonly kind: string
  readonly name: string
  readonly enabled: boolean
  /** The fields that are not secret. */
  readonly address: Readonly<Record<string, string>>
  readonly quiet_hours: QuietHours | null
  /** Since when every message has failed. */
  readonly failing_since: string | null
  /** The reason why Errata disabled it. */
  readonly disabled_reason: string | null
}

export interface TargetFields {
  readonly name: string
  readonly enabled: boolean
  /** Missing fields stay unchanged. */
  readonly address: Readonly<Record<string, string>>
  readonly quiet_hours: QuietHours | null
}

export interface Notification {
  readonly id: number
  readonly project_id: number
  /** `members` for mail to the members of the project. */
  readonly target_kind: string
  readonly target_name: string
  readonly rule_name: string | null
  readonly group_id: number | null
  readonly status: "pending" | "succeeded" | "failed" | "throttled"
  readonly recipient: string | null
  readonly attempts: number
  readonly response_status: number | null
  readonly error: string | null
  readonly duration_ms: number | null
  /** For example `New error`. */
  readonly reason: string
  /** The title of the group. */
  readonly title: string | null
  readonly created_at: string
}

export interface Notifications {
  readonly notifications: ReadonlyArray<Notification>
  readonly next_cursor: number | null
}

export interface NotificationFilter {
  readonly rule_id?: string | undefined
  readonly target_id?: string | undefined
  readonly group_id?: string | undefined
  readonly status?: string | undefined
}

export const kindsQuery = {
  queryKey: ["notification-kinds"],
  queryFn: ({ signal }: Aborts) => request<Kinds>("GET", "/notification_kinds", { signal }),
  staleTime: 60_000,
}

export const targetsQuery = (projectId: number) => ({
  queryKey: ["targets", projectId],
  queryFn: async ({ signal }: Aborts): Promise<ReadonlyArray<Target>> =>
    (await request<{ readonly targets: ReadonlyArray<Target> }>("GET", pathOf(projectId), { signal }))
      .targets,
})

/** The targets of these projects that fail, or that Errata disabled. */
export const troubledTargetsQuery = (projectIds: ReadonlyArray<number>) => ({
  queryKey: ["targets", "troubled", projectIds],
  queryFn: async ({ signal }: Aborts): Promise<ReadonlyArray<Target>> => {
    const found: Array<Target> = []
    // One after another, so that requests for many projects do not use all connections.
    for (const id of projectIds) {
      const targets = await targetsQuery(id).queryFn({ signal })
      found.push(
        ...targets.filter(
          ({ disabled_reason, failing_since }) => disabled_reason !== null || failing_since !== null,
        ),
      )
    }
    return found
  },
  staleTime: 60_000,
})

/** Newest first. */
export const notificationsQuery = (
  projectId: number,
  filter: NotificationFilter,
  cursor?: number | undefined,
  limit = 25,
) => ({
  queryKey: ["notifications", projectId, filter, cursor, limit],
  queryFn: ({ signal }: Aborts) =>
    request<Notifications>("GET", `/projects/${projectId}/notifications`, {
      query: { ...filter, cursor, limit },
      signal,
    }),
})

export const polledNotifications = { refetchInterval: pollEvery(10_000) }

export const createTarget = async (
  projectId: number,
  target: TargetFields & { readonly kind: string },
): Promise<Target> => {
  const created = await request<Target>("POST", pathOf(projectId), { body: target })
  await refresh()
  return created
}

export const updateTarget = async (
  { id, project_id }: Target,
  changes: Partial<TargetFields>,
): Promise<void> => {
  await request<Target>("PATCH", `${pathOf(project_id)}/${id}`, { body: changes })
  await refresh()
}

export const deleteTarget = async ({ id, project_id }: Target): Promise<void> => {
  await request<void>("DELETE", `${pathOf(project_id)}/${id}`)
  await refresh()
}

/** Sends a test message and waits for the result of each receiver. */
export const testTarget = async ({ id, project_id }: Target): Promise<ReadonlyArray<Notification>> => {
  const { notifications } = await request<{ readonly notifications: ReadonlyArray<Notification> }>(
    "POST",
    `${pathOf(project_id)}/${id}/test`,
  )
  await cache.invalidateQueries({ queryKey: ["notifications", project_id] })
  await refresh()
  return notifications
}

// internal

interface Aborts {
  readonly signal: AbortSignal
}

const pathOf = (projectId: number): string => `/projects/${projectId}/targets`

const refresh = () => cache.invalidateQueries({ queryKey: ["targets"] })
