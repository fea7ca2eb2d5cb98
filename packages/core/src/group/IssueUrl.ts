/** The link from a group to its issue in a tracker of issues. */
import { isStorable, notStorable } from "../validation/StorableText.js"

export const maxIssueUrlLength = 2_000

/** Returns the fault of a link, or null. People click it, so no other protocol passes. */
export const issueUrlProblem = (text: string): string | null => {
  if (!isStorable(text)) return notStorable
  return text.length <= maxIssueUrlLength && isWebUrl(text)
    ? null
    : "must be an http or https URL of at most 2,000 characters"
}

// internal

const isWebUrl = (text: string): boolean =>
  !/[\s\p{Cc}]/u.test(text) && URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)
