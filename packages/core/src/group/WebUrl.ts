/** URLs of pages in the dashboard. */
import { Context } from "effect"

/**
 * The public base URL of the instance without a trailing slash, or null if unknown. During a request it is the URL that
 * the request used, otherwise the configured one.
 */
export const WebAddress = Context.Reference("@errata/core/group/WebAddress", {
  defaultValue: (): string | null => null,
})

/** The page of a project; null if the base URL is unknown. */
export const projectUrl = (address: string | null, projectId: number): string | null =>
  address === null ? null : `${address}/projects/${projectId}`

/** The page of a project's alert rules and targets; null if the base URL is unknown. */
export const alertsUrl = (address: string | null, projectId: number): string | null =>
  address === null ? null : `${address}/projects/${projectId}/settings/alerts`

/** The page of a group; null if the base URL is unknown. */
export const groupUrl = (
  address: string | null,
  { id, projectId }: { readonly id: number; readonly projectId: number },
): string | null => (address === null ? null : `${address}/projects/${projectId}/groups/${id}`)

/** The page of a report; null if the base URL is unknown. */
export const reportUrl = (
  address: string | null,
  { groupId, id, projectId }: { readonly id: number; readonly projectId: number; readonly groupId: number },
): string | null =>
  address === null ? null : `${groupUrl(address, { id: groupId, projectId })}/reports/${id}`

/** The page that signs a person in with a one-time link, after a click. `address` has no trailing slash. */
export const signInLinkUrl = (address: string, token: string): string =>
  `${address}/sign_in/link?token=${encodeURIComponent(token)}`
