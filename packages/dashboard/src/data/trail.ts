/** The list that the reader came from, for navigating to its next group. */
import { signal } from "@preact/signals"

export interface Trail {
  /** The address of the list, with its query. */
  readonly href: string
  /** For example `web · is:unresolved`. */
  readonly label: string
  /** For example `118`, or `1,000+`; null if it is not known. */
  readonly total: string | null
  /** In the order of the list, as far as it is loaded. */
  readonly groups: ReadonlyArray<{ readonly project_id: number; readonly id: number }>
}

export const trail = signal<Trail | null>(null)

/** The group whose page was opened last, until the reader returns to its list. */
export const opened = signal<{ readonly project_id: number; readonly id: number } | null>(null)

/** Returns the address of a group's page. */
export const groupPath = (group: { readonly project_id: number; readonly id: number }): string =>
  `projects/${group.project_id}/groups/${group.id}`
