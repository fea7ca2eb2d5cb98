/** Validates releases, dists, checksums and file names. */
import { isStorable, notStorable } from "../validation/StorableText.js"

/** Returns an error message for an invalid release, or null. */
export const releaseProblem = (release: string): string | null =>
  textProblem(release, maxReleaseCharacters) ??
  (new TextEncoder().encode(release).byteLength > maxReleaseBytes
    ? `is too long (maximum is ${maxReleaseBytes} bytes)`
    : null)

export const distProblem = (dist: string): string | null => textProblem(dist, maxDistCharacters)

export const sha1Problem = (sha1: string): string | null =>
  /^[0-9a-f]{40}$/.test(sha1) ? null : "must be a SHA-1 in lower-case hexadecimal"

export const fileNameProblem = (name: string): string | null => textProblem(name, maxNameCharacters)

// internal

const maxReleaseCharacters = 200
const maxReleaseBytes = 250
const maxDistCharacters = 64
const maxNameCharacters = 2000

const textProblem = (text: string, maximum: number): string | null => {
  const wrongLength = `must have 1 to ${maximum} characters`
  // Checked first, because the name may be as long as the request. A character has at most two UTF-16 units.
  if (text.length > 2 * maximum) return wrongLength
  if (!isStorable(text)) return notStorable
  if (/\p{Cc}/u.test(text)) return "must not have control characters"
  const { length } = [...text]
  return length >= 1 && length <= maximum ? null : wrongLength
}
