/** Event ids: 32 lowercase hexadecimal characters. Clients also send them as UUIDs and in upper case. */

const compact = /^[0-9a-f]{32}$/
const dashed = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

/** Returns the normal form of an event id, or null if it is invalid. */
export const normalizeEventId = (value: string): string | null => {
  if (compact.test(value)) return value
  if (value.length > 64) return null
  const lower = value.trim().toLowerCase()
  if (compact.test(lower)) return lower
  return dashed.test(lower) ? lower.replaceAll("-", "") : null
}
