/** Caches recently used source texts, because the same errors recur. Bounded by bytes. */
import { BoundedCache } from "@errata/core/internal"
import { Effect } from "effect"
import type { Dialect } from "./FunctionTable.js"
import type { ReadingBudgetUsed, ReadTexts, UnreadText } from "./SourceMapEngine.js"
import { SourceText, type TextTables } from "./SourceText.js"

/** A text and the dialects that its file may be written in. */
export interface TextToRead extends UnreadText {
  readonly dialects: ReadonlyArray<Dialect>
}

/** Returns the text of a source: null if it cannot be read, undefined if it was not read yet. */
export type KnownText = (content: string) => SourceText | null | undefined

/** By content; null if reading took too long. */
class Texts extends Map<string, SourceText | null> implements ReadTexts {}

export class SourceTexts {
  private readonly texts = new BoundedCache<string, SourceText | null>(maxMemory)

  /** Looks up the given texts, which may exceed the cache, and then the cached ones. */
  known(given: ReadTexts | null): KnownText {
    return (content) => {
      if (content.length > maxLength) return null
      const own = given instanceof Texts ? given.get(content) : undefined
      return own === undefined ? this.texts.get(content) : own
    }
  }

  /** Reads texts one after the other, up to the limit for one report. */
  readAll(
    texts: ReadonlyArray<TextToRead>,
    read: (text: TextToRead) => Effect.Effect<TextTables | null, ReadingBudgetUsed>,
  ): Effect.Effect<ReadTexts, ReadingBudgetUsed> {
    return Effect.gen({ self: this }, function* () {
      const all = new Texts()
      let length = 0
      for (const text of texts) {
        const { content } = text
        if (all.has(content)) continue
        length += content.length
        const kept = this.texts.get(content)
        all.set(content, kept ?? (length > maxTogether ? null : yield* this.readOne(text, read(text))))
      }
      return all
    })
  }

  private readOne(
    text: TextToRead,
    reading: Effect.Effect<TextTables | null, ReadingBudgetUsed>,
  ): Effect.Effect<SourceText | null, ReadingBudgetUsed> {
    return Effect.map(reading, (tables) => {
      const read = tables === null ? null : new SourceText(text.content, tables)
      this.texts.set(text.content, read, read?.memory ?? text.content.length * 2)
      return read
    })
  }
}

// internal

/** Size in bytes. */
const maxMemory = 32 * 1024 * 1024

/** UTF-16 units of one text, which is cached with its tables. */
const maxLength = 8 * 1024 * 1024

/** UTF-16 units of all texts of a report. */
const maxTogether = 32 * 1024 * 1024
