/** The scanner's position and state, and the functions found so far. */
import { newScope, type Scope } from "./ScannerScope.js"
import { SeenFunctions } from "./SeenFunctions.js"

/** Returns the original name of the word at an offset, or null if it was not renamed. */
export type NameAt = (offset: number) => string | null

/**
 * The scanner is a single object built by inheritance, so that its state, which changes with each character, is fast to
 * access.
 */
export abstract class ScannerState {
  protected readonly functions: SeenFunctions
  protected readonly scopes: Array<Scope> = []
  protected scope: Scope = newScope("block")
  protected at = 0

  /** The last token, usually its first character. `w` for words, `v` for other values. */
  protected last = ";"
  /** True if the last token ended a value, so that an operator follows. */
  protected isValue = false
  /** The last token if it is a word or string. */
  protected word = ""
  /** The name of a value that begins with the next token: `name` after `name =`. */
  protected given: string | null = null
  /** The name of the value that began with the last word. */
  protected wordGiven: string | null = null
  /** The scope of the last closed parentheses. */
  protected closed: Scope = newScope("(")
  protected hasFailed = false
  /** UTF-16 units searched in vain for the ends of regular expressions. */
  protected searchedInVain = 0

  constructor(
    protected readonly text: string,
    protected readonly isJsx: boolean,
    protected readonly nameAt: NameAt = () => null,
  ) {
    this.functions = new SeenFunctions(text.length)
  }

  // Functions

  protected begin(name: string | null) {
    if (!this.functions.begin(this.at, name)) this.fail()
  }

  /** Ends the innermost arrow function of this scope that has an expression body. */
  protected endArrow() {
    const arrow = this.scope.arrows.pop()
    if (arrow === undefined) return
    this.functions.end(arrow.index, this.at)
    this.scope.ternaries = arrow.ternaries
  }

  protected endArrows() {
    while (this.scope.arrows.length > 0) this.endArrow()
  }

  protected nameOf({ isFunction, word }: Scope): string {
    return isFunction ? word : this.qualified(word)
  }

  /** Prefixes a class member with the name of its class. */
  protected qualified(name: string): string {
    const { className, kind } = this.scope
    if (kind !== "class" || className === "") return name
    return name === "constructor" ? `new ${className}` : `${className}.${name}`
  }

  // State

  protected push(inner: Scope) {
    if (this.scopes.length >= maxDepth) return this.fail()
    this.scopes.push(this.scope)
    this.scope = inner
  }

  protected operator(last: string, word = "") {
    this.given = null
    this.token(last, false, word)
  }

  protected token(last: string, isValue: boolean, word = "") {
    this.last = last
    this.isValue = isValue
    this.word = word
  }

  protected fail() {
    this.hasFailed = true
  }
}

// internal

const maxDepth = 2_000
