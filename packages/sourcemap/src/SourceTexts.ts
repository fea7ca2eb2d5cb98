/** The texts that were looked into last, because the same errors come again and again. Bounded by bytes. */
import { BoundedCache } from "@errata/core"
import { SourceText } from "./SourceText.js"

/** The text of a source; null where it is not looked into. */
export type TextOf = (content: string) => SourceText | null

export class SourceTexts {
  private readonly texts: BoundedCache<string, SourceText>

  constructor(maxMemory: number) {
    this.texts = new BoundedCache(maxMemory)
  }

  /** For one stack: of what is not known yet, only as much is looked into as a stack may take time for. */
  forStack(): TextOf {
    let left = maxRead
    return (content) => {
      const known = this.texts.get(content)
      if (known !== undefined) return known
      if (content.length > left) return null
      left -= content.length
      const made = new SourceText(content)
      this.texts.set(content, made, made.memory)
      return made
    }
  }
}

// internal

/** UTF-16 units. Frames can be in as many sources as a map has, and each of these be as long as a map may be. */
const maxRead = 8 * 1024 * 1024
