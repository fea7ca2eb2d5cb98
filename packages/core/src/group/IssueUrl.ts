/** Links from groups to issue trackers. */
import { isStorable, notStorable } from "../validation/StorableText.js"

export const maxIssueUrlLength = 2_000

/** Returns an error message for an invalid link, or null. Only http and https are allowed, because people click it. */
export const issueUrlProblem = (text: string): string | null => {
  if (!isStorable(text)) return notStorable
  return text.length <= maxIssueUrlLength && isWebUrl(text)
    ? null
    : "must be an http or https URL of at most 2,000 characters"
}

// internal

const isWebUrl = (text: string): boolean =>
  !/[\s\p{Cc}]/u.test(text) && URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)
