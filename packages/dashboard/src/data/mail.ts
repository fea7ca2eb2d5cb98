/** Mail to members: their settings, and addresses that receive no mail. */
import type { MailSettings, MailSettingsUpdate, PausedAddresses } from "@errata/api/promise"
import { api } from "./client.js"
import { type Aborts, cache } from "./query.js"

/** The settings of the caller. */
export const mailSettingsQuery = (projectId: number) => ({
  queryKey: ["mail-settings", projectId],
  queryFn: ({ signal }: Aborts): Promise<MailSettings> => api.mailSettings.get(projectId, { signal }),
})

export const updateMailSettings = async (projectId: number, changes: MailSettingsUpdate): Promise<void> => {
  const settings = await api.mailSettings.update(projectId, changes)
  cache.setQueryData(mailSettingsQuery(projectId).queryKey, settings)
}

/** In alphabetical order. For admins only. */
export const pausedAddressesQuery = (after: string | undefined) => ({
  queryKey: ["paused-addresses", after],
  queryFn: ({ signal }: Aborts): Promise<PausedAddresses> =>
    api.pausedAddresses.page({ limit: 25, ...(after !== undefined && { after }) }, { signal }),
})

/** Resumes mail to an address. */
export const resumeAddress = async (address: string): Promise<void> => {
  await api.pausedAddresses.resume(address)
  await cache.invalidateQueries({ queryKey: ["paused-addresses"] })
}
