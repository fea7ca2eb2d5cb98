/** The texts that were looked into last, because the same errors come again and again. Bounded by bytes. */
import { BoundedCache } from "@errata/core/internal"
import { Effect } from "effect"
import type { Dialect } from "./FunctionTable.js"
import type { ReadingBudgetUsed, ReadTexts, UnreadText } from "./SourceMapEngine.js"
import { SourceText, type TextTables } from "./SourceText.js"

/** A text, and how the file with its path may be written. */
export interface TextToRead extends UnreadText {
  readonly dialects: ReadonlyArray<Dialect>
}

/** The text of a source; null of one that is not looked into, undefined of one that was not read yet. */
export type KnownText = (content: string) => SourceText | null | undefined

/** By content; null of what took too long. */
class Texts extends Map<string, SourceText | null> implements ReadTexts {}

export class SourceTexts {
  private readonly texts = new BoundedCache<string, SourceText | null>(maxMemory)

  /** Among those that were read for it, which may be too many to be kept, and those that are kept. */
  known(given: ReadTexts | null): KnownText {
    return (content) => {
      if (content.length > maxLength) return null
      const own = given instanceof Texts ? given.get(content) : undefined
      return own === undefined ? this.texts.get(content) : own
    }
  }

  /** Reads texts, one after the other, and no more of them than a report may keep in memory. */
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

/** Bytes. */
const maxMemory = 32 * 1024 * 1024

/** UTF-16 units of one text; such a text is kept, with its tables. */
const maxLength = 8 * 1024 * 1024

/** UTF-16 units of the texts of a report. */
const maxTogether = 32 * 1024 * 1024
