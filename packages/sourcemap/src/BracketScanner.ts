/** The part of the scanner for scopes: brackets, blocks, function bodies and templates. */
import { ElementScanner } from "./ElementScanner.js"
import { newScope, type Scope } from "./ScannerScope.js"
import { endOfTemplateText } from "./ScriptText.js"
import { beforeBlock, control } from "./ScriptWords.js"

export abstract class BracketScanner extends ElementScanner {
  protected openBracket(character: string) {
    const { scope } = this
    const inner = newScope(character as "(" | "[")
    if (character === "(") {
      const { angle, head } = scope
      const isGeneric = this.last === ">" && angle !== null
      inner.given = isGeneric
        ? angle.given
        : this.last === "w" && this.word === "async"
          ? this.wordGiven
          : this.given
      inner.isControl = this.last === "w" && control.has(this.word)
      if (head !== null && !head.isClass) {
        inner.isFunction = true
        inner.word = head.name ?? head.given ?? ""
        scope.head = null
      } else if (isGeneric) inner.word = angle.word
      else if (this.isValue && !inner.isControl && (this.last === "w" || this.last === "v"))
        inner.word = this.word
      else if (this.last === "]") inner.isFunction = scope.kind === "class" || scope.kind === "object"
    }
    this.at++
    this.push(inner)
    this.operator(character)
  }

  protected openBrace() {
    const { closed, scope } = this
    const { head, result } = scope
    if (head?.isClass === true && (this.isValue || this.word === "class")) {
      const inner = newScope("class")
      inner.className = head.name ?? head.given ?? ""
      scope.head = null
      return this.openBlock(inner)
    }
    // A type that begins with a brace follows an operator, a body does not.
    if (result !== null && this.isValue && (result.isFunction || result.word !== "")) {
      scope.result = null
      return this.openFunction(this.nameOf(result))
    }
    if (this.last === ")" && !closed.isControl && (closed.isFunction || closed.word !== "")) {
      return this.openFunction(this.nameOf(closed))
    }
    const isStatement =
      this.isValue ||
      this.last === ";" ||
      this.last === "{" ||
      this.last === ")" ||
      (this.last === "w" && beforeBlock.has(this.word)) ||
      (this.last === ":" && scope.kind === "block" && this.given !== null)
    this.openBlock(newScope(isStatement ? "block" : "object"))
  }

  private openBlock(inner: Scope) {
    this.at++
    this.push(inner)
    this.operator("{")
  }

  protected openFunction(name: string | null) {
    const inner = newScope("block")
    this.begin(name)
    inner.body = this.functions.open
    this.openBlock(inner)
  }

  protected close(character: string) {
    this.endArrows()
    const { scope } = this
    const { kind } = scope
    const opening = character === ")" ? kind === "(" : character === "]" ? kind === "[" : !brackets.has(kind)
    const outer = this.scopes.pop()
    if (!opening || outer === undefined) return this.fail()
    this.scope = outer
    this.at++
    if (scope.body !== -1) this.functions.end(scope.body, this.at)
    if (kind === "template") return this.takeTemplate(this.at)
    this.given = null
    if (character === ")") {
      this.closed = scope
      return this.token(")", !scope.isControl)
    }
    if (character === "]" || kind === "object") return this.token(character, true)
    // An attribute or a child of an element ends where its scope does; a block is followed by a statement.
    if (kind === "expression") return
    this.token(scope.body === -1 ? ";" : "}", scope.body !== -1)
  }

  protected takeTemplate(start: number) {
    const end = endOfTemplateText(this.text, start)
    if (end === -1) return this.fail()
    if (this.text.charCodeAt(end) === 96) {
      this.at = end + 1
      this.given = null
      return this.token("v", true)
    }
    this.at = end + 2
    this.push(newScope("template"))
    this.operator("{")
  }
}

// internal

const brackets: ReadonlySet<Scope["kind"]> = new Set(["(", "["])
