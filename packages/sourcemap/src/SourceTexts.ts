/** The texts that were looked into last, because the same errors come again and again. Bounded by bytes. */
import { BoundedCache } from "@errata/core"
import { SourceText } from "./SourceText.js"

export class SourceTexts {
  private readonly texts: BoundedCache<string, SourceText>

  constructor(maxMemory: number) {
    this.texts = new BoundedCache(maxMemory)
  }

  of(text: string): SourceText {
    const known = this.texts.get(text)
    if (known !== undefined) return known
    const made = new SourceText(text)
    this.texts.set(text, made, made.memory)
    return made
  }
}
