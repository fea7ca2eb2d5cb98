/** The part of the scanner for JSX elements. */
import { newScope } from "./ScannerScope.js"
import { ScannerState } from "./ScannerState.js"
import { endOfComment, endOfWord } from "./ScriptText.js"

export abstract class ElementScanner extends ScannerState {
  protected beginsElement(): boolean {
    const { at, text } = this
    if (text[at + 1] === ">") return true
    const end = endOfWord(text, at + 1)
    if (end === at + 1 || !/[A-Za-z_$]/.test(text[at + 1]!)) return false
    // Only type parameters have a comma or a bound.
    return !/^\s{0,8}(?:,|extends\s)/.test(text.slice(end, end + 16))
  }

  protected openTag() {
    this.at++
    this.push(newScope("tag"))
  }

  /** Reads inside `<name ...>`. */
  protected tag() {
    const { text } = this
    const character = text[this.at]!
    if (character === '"' || character === "'") {
      // Strings in tags have no escapes and may span lines.
      const end = text.indexOf(character, this.at + 1)
      if (end === -1) return this.fail()
      this.at = end + 1
    } else if (character === "{") {
      this.at++
      this.push(newScope("expression"))
      this.operator("{")
    } else if (character === "/" && text[this.at + 1] === ">") {
      this.at += 2
      this.endElement()
    } else if (character === "/" && endOfComment(text, this.at) > this.at) {
      this.at = endOfComment(text, this.at)
    } else if (character === ">") {
      this.at++
      this.scope.kind = "children"
    } else this.at++
  }

  protected children() {
    const { text } = this
    while (this.at < text.length && text[this.at] !== "{" && text[this.at] !== "<") this.at++
    if (this.at >= text.length) return
    if (text[this.at] === "{") {
      this.at++
      this.push(newScope("expression"))
      return this.operator("{")
    }
    if (text[this.at + 1] !== "/") return this.openTag()
    const end = text.indexOf(">", this.at)
    if (end === -1) return this.fail()
    this.at = end + 1
    this.endElement()
  }

  private endElement() {
    this.scope = this.scopes.pop()!
    this.given = null
    this.token("v", true)
  }
}
