/** Breadcrumbs as rows: message, time before the error, and the error itself at the end. */
import type { Breadcrumb } from "@errata/core/event"
import { offset } from "../../text/Times.js"

export interface Crumb {
  readonly offset: string
  readonly timestamp: string | undefined
  readonly category: string
  readonly level: string
  readonly message: string
  /** The rest of the data, which the message does not contain. */
  readonly data: Readonly<Record<string, unknown>>
}

/** Breadcrumbs that are shown at first. */
export const shownAtFirst = 10

/** Returns the last breadcrumbs, oldest first, with their times before the error. */
export const crumbsOf = (
  breadcrumbs: ReadonlyArray<Breadcrumb>,
  occurredAt: string,
  areAllShown: boolean,
): ReadonlyArray<Crumb> =>
  (areAllShown ? breadcrumbs : breadcrumbs.slice(-shownAtFirst)).map((breadcrumb) => ({
    offset: offset(breadcrumb.timestamp, occurredAt),
    timestamp: breadcrumb.timestamp,
    category: breadcrumb.category ?? breadcrumb.type ?? "",
    level: breadcrumb.level ?? "",
    ...messageOf(breadcrumb),
  }))

/** Returns a breadcrumb as a line of text, for the clipboard. */
export const crumbText = ({ category, data, message, offset }: Crumb): string =>
  [offset.padStart(12), category, message, Object.keys(data).length === 0 ? "" : JSON.stringify(data)]
    .filter((part) => part !== "")
    .join("  ")

// internal

/** Requests have their message in the data. */
const messageOf = ({ data = {}, message }: Breadcrumb): Pick<Crumb, "message" | "data"> => {
  const { method, status_code, url, ...rest } = data
  if (message !== undefined && message !== "") return { message, data }
  if (typeof url === "string") {
    const status = status_code === undefined || status_code === null ? "" : ` → ${String(status_code)}`
    return {
      message: [method, url].filter((part) => typeof part === "string").join(" ") + status,
      data: rest,
    }
  }
  return { message: "", data }
}
