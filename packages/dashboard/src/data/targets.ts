/** The targets of a project, and the notifications that were sent. */
import type {
  Notification,
  NotificationKinds,
  NotificationsPage,
  Target,
  TargetCreation,
  TargetUpdate,
} from "@errata/api/promise"
import { api } from "./client.js"
import { type Aborts, cache, pollEvery } from "./query.js"

export interface NotificationFilter {
  readonly rule_id?: number
  readonly target_id?: number
  readonly group_id?: number
  readonly status?: Notification["status"]
}

export const kindsQuery = {
  queryKey: ["notification-kinds"],
  queryFn: ({ signal }: Aborts): Promise<NotificationKinds> => api.targets.kinds({ signal }),
  staleTime: 60_000,
}

export const targetsQuery = (projectId: number) => ({
  queryKey: ["targets", projectId],
  queryFn: async ({ signal }: Aborts): Promise<ReadonlyArray<Target>> =>
    (await api.targets.all(projectId, { signal })).targets,
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
  queryFn: ({ signal }: Aborts): Promise<NotificationsPage> =>
    api.notifications.list(projectId, filter).page({ cursor, limit }, { signal }),
})

export const polledNotifications = { refetchInterval: pollEvery(10_000) }

export const createTarget = async (projectId: number, target: TargetCreation): Promise<Target> => {
  const created = await api.targets.create(projectId, target)
  await refresh()
  return created
}

export const updateTarget = ({ id, project_id }: Target, changes: TargetUpdate): Promise<void> =>
  api.targets.update(project_id, id, changes).then(refresh)

export const deleteTarget = ({ id, project_id }: Target): Promise<void> =>
  api.targets.remove(project_id, id).then(refresh)

/** Sends a test message and waits for the result of each receiver. */
export const testTarget = async ({ id, project_id }: Target): Promise<ReadonlyArray<Notification>> => {
  const { notifications } = await api.targets.test(project_id, id)
  await cache.invalidateQueries({ queryKey: ["notifications", project_id] })
  await refresh()
  return notifications
}

// internal

const refresh = () => cache.invalidateQueries({ queryKey: ["targets"] })
