/** The texts that were looked into last, because the same errors come again and again. Bounded by bytes. */
import { SourceText } from "./SourceText.js"

export class SourceTexts {
  private readonly texts = new Map<string, SourceText>()
  private memory = 0

  constructor(private readonly maxMemory: number) {}

  of(text: string): SourceText {
    const known = this.texts.get(text)
    if (known !== undefined) {
      this.texts.delete(text)
      this.texts.set(text, known)
      return known
    }
    const made = new SourceText(text)
    if (made.memory > this.maxMemory) return made
    this.texts.set(text, made)
    this.memory += made.memory
    for (const [oldest, { memory }] of this.texts) {
      if (this.memory <= this.maxMemory) break
      this.texts.delete(oldest)
      this.memory -= memory
    }
    return made
  }
}
