/**
 * Finds the functions of JavaScript, TypeScript and JSX with their names, in one pass. It is not a parser: it tracks
 * brackets, strings, templates, regular expressions and JSX elements, and the tokens before a body. It takes constant
 * time per character and no recursion, whatever the input. This matters because uploads are untrusted. It gives up on
 * text that it cannot follow to the end.
 */
import { BracketScanner } from "./BracketScanner.js"
import type { FoundFunctions } from "./FoundFunctions.js"
import { endOfComment, endOfRegExp, endOfString, endOfWord, isSpaceCode, isWordCode } from "./ScriptText.js"
import { beforeValue, beginsClass, beginsFunction, declaring, isType } from "./ScriptWords.js"

export class FunctionScanner extends BracketScanner {
  scan(): FoundFunctions | null {
    if (this.text.startsWith("#!")) this.at = this.text.indexOf("\n")
    if (this.at === -1) return null
    while (this.at < this.text.length && !this.hasFailed) {
      if (this.scope.kind === "children") this.children()
      else if (this.scope.kind === "tag") this.tag()
      else this.step()
    }
    this.endArrows()
    return this.hasFailed || this.scopes.length > 0 ? null : this.functions.found()
  }

  private step() {
    const { text } = this
    let hasNewLine = false
    let code = 0
    for (; this.at < text.length; this.at++) {
      code = text.charCodeAt(this.at)
      if (code === 47) {
        const end = endOfComment(text, this.at)
        if (end === this.at) break
        this.at = end - 1
      } else if (!isSpaceCode(code)) break
      else if (code === 10 || code === 13) hasNewLine = true
    }
    if (this.at >= text.length) return
    if (hasNewLine && this.isValue && this.beginsStatement(code)) this.endStatement()
    if (isWordCode(code)) this.takeWord()
    else if (code === 34 || code === 39) this.takeString()
    else if (code === 96) this.takeTemplate(this.at + 1)
    else if (code === 40 || code === 91) this.openBracket(text[this.at]!)
    else if (code === 123) this.openBrace()
    else if (code === 41 || code === 93 || code === 125) this.close(text[this.at]!)
    else this.takeOperator(text[this.at]!)
  }

  /** Returns true if a line that begins with this character cannot continue the value on the line before. */
  private beginsStatement(code: number): boolean {
    if (code === 123) return this.scope.head === null && this.scope.result === null
    if (code === 64 || code === 34 || code === 39) return true
    if (!isWordCode(code)) return false
    return !/^(?:in|instanceof|as|satisfies|of|extends|implements)$/.test(
      this.text.slice(this.at, Math.min(endOfWord(this.text, this.at), this.at + 12)),
    )
  }

  private endStatement() {
    this.endArrows()
    const { scope } = this
    scope.annotated = null
    scope.result = null
    scope.angle = null
    scope.head = null
    scope.types = 0
    scope.ternaries = 0
  }

  // Tokens

  private takeWord() {
    const { scope, text } = this
    const start = this.at
    const end = endOfWord(text, start)
    const word = text.slice(start, end)
    this.at = end
    const isMember = this.last === "."
    const before = this.word
    const isNumber = /[0-9]/.test(word[0]!)
    if (!isMember && !isNumber) {
      if (word === "async" && !this.isValue) {
        // `async` is transparent: the function gets the name that it would have without it.
        this.token("w", true, word)
        this.wordGiven = this.given
        return
      }
      if (word === "function" && beginsFunction.test(text.slice(end, end + 64))) {
        scope.head = { isClass: false, name: null, given: this.given }
        return this.operator("w")
      }
      if (word === "class" && beginsClass.test(text.slice(end, end + 64))) {
        scope.head = { isClass: true, name: null, given: this.given }
        return this.operator("w", word)
      }
      if (word === "case") scope.isCase = true
      if (word === "default" && before === "export" && this.last === "w") {
        this.operator("w")
        this.given = "default"
        return
      }
      if (beforeValue.has(word) && !this.isName(word)) {
        // The name of a parent is not the name of the class.
        if (word === "extends" || word === "implements") this.nameHead()
        return this.operator("w", word)
      }
    }
    const name = isNumber ? word : (this.nameAt(start) ?? word)
    if (!isMember && declaring.has(before) && this.last === "w") scope.declared = name
    const { head } = scope
    if (
      head !== null &&
      head.name === null &&
      !isMember &&
      (this.last === "*" || this.last === "w") &&
      !this.isValue
    ) {
      head.name = name
    }
    this.wordGiven = this.given
    this.given = null
    this.token(isNumber ? "v" : "w", true, name)
  }

  /** Returns true if a keyword is the name of a member or a type. */
  private isName(word: string): boolean {
    const { kind } = this.scope
    if (word === "void" && isType.test(this.text.slice(this.at, this.at + 16))) return true
    return kind === "class"
      ? this.last !== "=" && this.last !== "=>" && word !== "extends"
      : kind === "object" && (this.last === "{" || this.last === ",")
  }

  /** A class that reaches `extends` without a name stays unnamed. */
  private nameHead() {
    const { head } = this.scope
    if (head?.isClass === true) head.name ??= head.given ?? ""
  }

  private takeString() {
    const end = endOfString(this.text, this.at)
    if (end === -1) return this.fail()
    const word = this.text.slice(this.at + 1, end - 1)
    this.at = end
    this.given = null
    this.token("v", true, word.length <= 64 ? word : "")
  }

  private takeOperator(character: string) {
    const { scope, text } = this
    const next = text[this.at + 1] ?? ""
    if (character === "/" && !this.isValue) {
      const end = endOfRegExp(text, this.at)
      if (end !== -1) {
        this.at = end
        this.given = null
        return this.token("v", true)
      }
      if (!this.affordsLine()) return this.fail()
    }
    if (character === "=" && next === ">") return this.arrow()
    if (character === "<" && !this.isValue && this.isJsx && this.beginsElement()) return this.openTag()
    if (character === "<") {
      // Type parameters may stand between a function's name and its parameters.
      if (scope.types === 0) scope.angle = { word: this.isValue ? this.word : "", given: this.given }
      scope.types++
      this.at++
      return this.operator("<")
    }
    if (character === ">") {
      if (scope.types > 0) scope.types--
      this.at++
      this.operator(">")
      // Ends a type where one can be, and is a comparison elsewhere.
      this.isValue = scope.head !== null || scope.result !== null || scope.annotated !== null
      return
    }
    if ((character === "+" || character === "-") && next === character) {
      this.at += 2
      return
    }
    if (character === "!" && this.isValue && next !== "=") {
      this.at++
      return
    }
    if (character === "?") {
      if (next === "." || next === "?") {
        this.at += 2
        return this.operator(next)
      }
      // Optional parameters and optional members of types.
      if (/^\?\s{0,8}[:),;=]/.test(text.slice(this.at, this.at + 10)) && this.isValue) {
        this.at++
        return
      }
      scope.ternaries++
    }
    if (character === ":") return this.colon()
    if (character === "=") return this.equals()
    if (character === ";") this.endStatement()
    // A comma between type parameters ends nothing.
    const isWithin = scope.types > 0 && (scope.result !== null || scope.annotated !== null)
    if (character === "," && !isWithin) {
      this.endArrows()
      scope.annotated = null
      scope.result = null
    }
    this.at++
    this.operator(character)
  }

  /** Limits failed searches for the end of a regular expression to the length of the text. */
  private affordsLine(): boolean {
    const end = this.text.indexOf("\n", this.at)
    this.searchedInVain += (end === -1 ? this.text.length : end) - this.at
    return this.searchedInVain <= this.text.length
  }

  private colon() {
    const { closed, scope } = this
    this.at++
    while (scope.ternaries === 0 && scope.arrows.length > 0) this.endArrow()
    if (scope.ternaries > 0) {
      scope.ternaries--
      return this.operator(":")
    }
    if (scope.isCase) {
      scope.isCase = false
      return this.operator(";")
    }
    if (this.last === ")") {
      // The return type stands between parameters and body.
      if (closed.isFunction || closed.word !== "" || closed.given !== null) scope.result = closed
      scope.types = 0
      return this.operator(":")
    }
    const name = this.isValue ? this.word : ""
    if (scope.kind === "class" || scope.kind === "(" || (name !== "" && scope.declared === name)) {
      scope.annotated = name
      scope.types = 0
      return this.operator(":")
    }
    this.operator(":")
    this.given = name === "" ? null : name
  }

  private equals() {
    const { scope, text } = this
    const isComparison = text[this.at + 1] === "=" || /[!<>=+\-*/%&|^?]/.test(text[this.at - 1] ?? "")
    const name = scope.annotated ?? (this.isValue ? this.word : "")
    this.at++
    while (text[this.at] === "=") this.at++
    this.operator("=")
    if (isComparison || name === "") return
    scope.annotated = null
    this.given = this.qualified(name)
  }

  private arrow() {
    const { closed, scope, text, wordGiven } = this
    const { result } = scope
    // In `(a): (b) => {` the parentheses before the arrow are the return type.
    const isResult = result !== null && (this.last !== ")" || (!result.isFunction && result.word === ""))
    const given = isResult ? result.given : this.last === ")" ? closed.given : wordGiven
    if (isResult) scope.result = null
    this.at += 2
    let body = this.at
    for (; body < text.length; body++) {
      const end = text.charCodeAt(body) === 47 ? endOfComment(text, body) : body
      if (end > body) body = end - 1
      else if (!isSpaceCode(text.charCodeAt(body))) break
    }
    if (text[body] === "{") {
      this.at = body
      return this.openFunction(given)
    }
    this.begin(given)
    scope.arrows.push({ index: this.functions.open, ternaries: scope.ternaries })
    scope.ternaries = 0
    this.operator("=>")
  }
}
