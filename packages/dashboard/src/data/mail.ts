/** Mail to members: their settings, and addresses that receive no mail. */
import { request } from "./client.js"
import { cache } from "./query.js"

export interface MailFields {
  readonly mode: "everything" | "new_and_reopened" | "assigned" | "nothing"
  readonly digest: "never" | "daily" | "weekly"
}

export interface MailSettings extends MailFields {
  /** True if the instance can send mail. */
  readonly mail: boolean
}

export interface PausedAddress {
  readonly address: string
  /** The response of the mail server. */
  readonly detail: string
  readonly paused_at: string
}

export interface PausedAddresses {
  readonly addresses: ReadonlyArray<PausedAddress>
  readonly next: string | null
}

/** The settings of the caller. */
export const mailSettingsQuery = (projectId: number) => ({
  queryKey: ["mail-settings", projectId],
  queryFn: ({ signal }: Aborts) => request<MailSettings>("GET", pathOf(projectId), { signal }),
})

export const updateMailSettings = async (projectId: number, changes: MailFields): Promise<void> => {
  const settings = await request<MailSettings>("PATCH", pathOf(projectId), { body: changes })
  cache.setQueryData(mailSettingsQuery(projectId).queryKey, settings)
}

/** In alphabetical order. For admins only. */
export const pausedAddressesQuery = (after: string | undefined) => ({
  queryKey: ["paused-addresses", after],
  queryFn: ({ signal }: Aborts) =>
    request<PausedAddresses>("GET", "/paused_addresses", { query: { after, limit: 25 }, signal }),
})

/** Resumes mail to an address. */
export const resumeAddress = async (address: string): Promise<void> => {
  await request<void>("DELETE", `/paused_addresses/${encodeURIComponent(address)}`)
  await cache.invalidateQueries({ queryKey: ["paused-addresses"] })
}

// internal

interface Aborts {
  readonly signal: AbortSignal
}

const pathOf = (projectId: number): string => `/projects/${projectId}/mail_settings`
