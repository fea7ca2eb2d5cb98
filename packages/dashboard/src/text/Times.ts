/** The one place that formats times. Pages never format a time themselves, so one switch changes the zone everywhere. */

/** The time zone of absolute times: the reader's, or UTC. */
export type Zone = "local" | "UTC"

/** Returns the day and the time, e.g. `23 Nov 2026, 18:02:11`. */
export const dateTime = (iso: string, zone: Zone = "local"): string => format(iso, zone, dateTimeFields)

/** Returns date and time with the zone, e.g. `23 Nov 2026, 18:02:11 UTC`. */
export const dateTimeWithZone = (iso: string, zone: Zone = "local"): string => format(iso, zone, zonedFields)

/** Returns the time without its year, e.g. `23 Nov 18:02:11`, for places with little room. */
export const shortDateTime = (iso: string, zone: Zone = "local"): string =>
  `${format(iso, zone, dayFields)} ${format(iso, zone, clockFields)}`

/** Returns the day, with its year where that is not the current one, e.g. `3 Nov`. */
export const day = (iso: string, now: number, zone: Zone = "local"): string => {
  const year = (time: number) => format(new Date(time).toISOString(), zone, yearFields)
  const isCurrent = year(Date.parse(iso)) === year(now)
  return format(iso, zone, isCurrent ? dayFields : dateFields)
}

/** Returns the hour of a bar, e.g. `Mon 23 Nov, 18:00`. */
export const hour = (iso: string, zone: Zone = "local"): string => format(iso, zone, hourFields)

/** Returns a relative time, e.g. `3 min ago`, or the day for older times. */
export const relative = (iso: string, now: number, zone: Zone = "local"): string => {
  const age = now - Date.parse(iso)
  if (Number.isNaN(age)) return iso
  // Clocks differ a little, and nothing that was recorded lies in the future.
  if (age < 5_000) return age < -60_000 ? `in ${duration(-age)}` : "now"
  if (age >= 30 * millis.d) return day(iso, now, zone)
  return `${duration(age)} ago`
}

/** Returns the largest whole unit of a span, e.g. `3 min`. */
export const duration = (span: number): string => {
  if (span >= millis.d) return `${Math.floor(span / millis.d)} d`
  if (span >= millis.h) return `${Math.floor(span / millis.h)} h`
  if (span >= millis.min) return `${Math.floor(span / millis.min)} min`
  return `${Math.max(0, Math.floor(span / 1_000))} s`
}

/** Returns how long before (`−3.2 s`) or after (`+1 s`) the base a time was; empty for a time that cannot be read. */
export const offset = (iso: string | undefined, base: string): string => {
  const span = iso === undefined ? Number.NaN : Date.parse(iso) - Date.parse(base)
  if (Number.isNaN(span)) return ""
  if (Math.abs(span) < 50) return "0 s"
  return `${span < 0 ? "−" : "+"}${lengthOf(Math.abs(span))}`
}

// internal

const millis = { min: 60_000, h: 3_600_000, d: 86_400_000 }

const dayFields = { day: "numeric", month: "short" } as const
const clockFields = { hour: "2-digit", minute: "2-digit", second: "2-digit", hourCycle: "h23" } as const
const yearFields = { year: "numeric" } as const
const dateFields = { ...dayFields, ...yearFields } as const
const dateTimeFields = { ...dateFields, ...clockFields } as const
const zonedFields = { ...dateTimeFields, timeZoneName: "short" } as const
const hourFields = {
  weekday: "short",
  ...dayFields,
  hour: "2-digit",
  minute: "2-digit",
  hourCycle: "h23",
} as const

const lengthOf = (span: number): string => {
  if (span < 60_000) return `${(span / 1_000).toFixed(1)} s`
  if (span < millis.h)
    return `${Math.floor(span / millis.min)} min ${Math.floor((span % millis.min) / 1_000)} s`
  if (span < millis.d)
    return `${Math.floor(span / millis.h)} h ${Math.floor((span % millis.h) / millis.min)} min`
  return `${Math.floor(span / millis.d)} d ${Math.floor((span % millis.d) / millis.h)} h`
}

/** Cached, since creating a formatter is more expensive than formatting. */
const formatters = {
  local: new Map<object, Intl.DateTimeFormat>(),
  UTC: new Map<object, Intl.DateTimeFormat>(),
}

const format = (iso: string, zone: Zone, fields: Intl.DateTimeFormatOptions): string => {
  const time = Date.parse(iso)
  if (Number.isNaN(time)) return iso
  let formatter = formatters[zone].get(fields)
  if (formatter === undefined) {
    formatter = new Intl.DateTimeFormat("en-GB", {
      ...fields,
      ...(zone === "UTC" ? { timeZone: "UTC" } : {}),
    })
    formatters[zone].set(fields, formatter)
  }
  return formatter.format(time)
}
