/** Links to the pages of the instance. */
import { Context } from "effect"

/**
 * The address under which people reach the instance, without a slash at its end; null where none is known. Requests have the
 * address that they came under, and everything else has the configured one.
 */
export const WebAddress = Context.Reference("@errata/core/group/WebAddress", {
  defaultValue: (): string | null => null,
})

/** The page of a project in the dashboard; null where the instance's address is not known. */
export const projectUrl = (address: string | null, projectId: number): string | null =>
  address === null ? null : `${address}/projects/${projectId}`

/** The page of a project's rules and targets in the dashboard; null where the instance's address is not known. */
export const alertsUrl = (address: string | null, projectId: number): string | null =>
  address === null ? null : `${address}/projects/${projectId}/settings/alerts`

/** The page of a group in the dashboard; null where the instance's address is not known. */
export const groupUrl = (
  address: string | null,
  { id, projectId }: { readonly id: number; readonly projectId: number },
): string | null => (address === null ? null : `${address}/projects/${projectId}/groups/${id}`)

/** The page of a report in the dashboard; null where the instance's address is not known. */
export const reportUrl = (
  address: string | null,
  { groupId, id, projectId }: { readonly id: number; readonly projectId: number; readonly groupId: number },
): string | null =>
  address === null ? null : `${groupUrl(address, { id: groupId, projectId })}/reports/${id}`

/** The page that signs a person in with a one-time link, after a click. The address has no slash at its end. */
export const signInLinkUrl = (address: string, token: string): string =>
  `${address}/sign_in/link?token=${encodeURIComponent(token)}`
