/** The stored form of a report's tags: JSON of all keys and values in turn. Shorter than objects. */
import type { Tag } from "./ErrorEvent.js"

/** Returns the tags as JSON in UTF-8. */
export const encode = (tags: ReadonlyArray<Tag>): Uint8Array =>
  Buffer.from(JSON.stringify(tags.flatMap(({ key, value }) => [key, value])))

/** Returns the tags of bytes from `encode`. */
export const decode = (tags: Uint8Array): ReadonlyArray<Tag> => {
  const texts: ReadonlyArray<string> = JSON.parse(decoder.decode(tags))
  return Array.from({ length: texts.length / 2 }, (_, i) => ({
    key: texts[2 * i]!,
    value: texts[2 * i + 1]!,
  }))
}

// internal

const decoder = new TextDecoder()
