/** Formats notifications for people. */
import type { NotificationView } from "@errata/api"
import { fieldLines } from "./Detail.js"
import type { ListColumn } from "./Listing.js"
import { relative } from "./Moments.js"

export const notificationColumns: ReadonlyArray<ListColumn<NotificationView>> = [
  { title: "ID", align: "right", of: ({ id }) => String(id) },
  { title: "TARGET", flexible: true, of: ({ target_name: name }) => name },
  { title: "STATUS", of: statusText },
  { title: "REASON", flexible: true, main: true, of: reasonText },
  { title: "GROUP", align: "right", omit: 2, of: ({ group_id: id }) => (id === null ? "" : String(id)) },
  { title: "ERROR", flexible: true, omit: 1, of: ({ error }) => error ?? "" },
  { title: "CREATED", omit: 3, of: (notification, now) => relative(notification.created_at, now) },
]

/** The result of a test, with one part for each receiver. */
export const testLines = (notifications: ReadonlyArray<NotificationView>): ReadonlyArray<string> =>
  notifications.flatMap((notification, i) => [
    ...(i === 0 ? [] : [""]),
    ...fieldLines([
      ["Notification", notification.id],
      ["Target", `${notification.target_id} (${notification.target_kind})`],
      ["Recipient", notification.recipient],
      ["Status", notification.status],
      ["Attempts", notification.attempts],
      ["Answered", notification.response_status],
      ["Error", notification.error],
      ["Took", notification.duration_ms === null ? null : `${notification.duration_ms} ms`],
    ]),
  ])

// internal

const heldBack = { repeat: "repeat", limit: "limit of the hour", quiet_hours: "quiet hours" } as const

function statusText({ status, throttle }: NotificationView): string {
  return throttle === null ? status : `${status} (${heldBack[throttle]})`
}

function reasonText({ reason, title }: NotificationView): string {
  return title === null || title === "" ? reason : `${reason}: ${title}`
}
