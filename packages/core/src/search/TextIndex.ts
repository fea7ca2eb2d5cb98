/**
 * How free text finds groups, the same in every storage: a document is a list of lexemes with positions, a term asks
 * for words at consecutive positions. Storages with an index of their own take the same lexemes as `tsvector` text.
 *
 * Symbols, as in `%%%`, `=>` or an emoji, separate words. A text of symbols alone is found as it is written.
 */
import { toStorable } from "../validation/StorableText.js"

/** A word as it is indexed. */
export interface Lexeme {
  readonly lexeme: string
  /** From 1; lexemes of one word share a position. Symbols have none: 0. */
  readonly position: number
}

/** What is indexed of a group. */
export type TextDocument = ReadonlyArray<Lexeme>

/**
 * Words at consecutive positions. In a phrase every word is a whole lexeme; otherwise the last one is a prefix.
 * Words are as `words` gives them.
 *
 * A term of symbols has one run of them and is no phrase.
 */
export interface TextTerm {
  readonly words: ReadonlyArray<string>
  readonly phrase: boolean
}

/** Positions in a document; what follows is not indexed. */
export const maxPositions = 256

/** UTF-16 units of a lexeme; longer words are cut, in documents and in queries alike. */
export const maxLexemeLength = 64

/** Distinct lexemes of symbols in a document; others are not indexed. */
export const maxSymbols = 128

/** One term with the words of a text. A text without a word has a term for each run of symbols; a blank one has none. */
export const termsOf = (text: string, phrase: boolean): ReadonlyArray<TextTerm> => {
  const found = words(text)
  return found.length > 0
    ? [{ words: found, phrase }]
    : symbols(text).map((run) => ({ words: [run], phrase: false }))
}

/** The words of a text in order, lower-cased: runs of letters and digits, and each ideograph and kana on its own. */
export const words = (text: string): ReadonlyArray<string> =>
  runs(text, Number.POSITIVE_INFINITY).map(toLexeme)

/**
 * The lexemes of a text, positions from 1. A compound word is also found by its ends: `NullPointerException` gives
 * `pointerexception` and `exception` at the same position.
 */
export const lexemes = (text: string, limit: number = maxPositions): TextDocument => {
  const document: Array<Lexeme> = []
  append(document, text, 1, limit)
  return document
}

/** The document of a group. No phrase spans two of its parts. Its symbols come last. */
export const documentOf = (errorType: string, errorMessage: string, culprit: string): TextDocument => {
  const document: Array<Lexeme> = []
  // The message comes last: when room runs out it is the message that is cut.
  const afterType = append(document, errorType, 1, maxPositions / 4)
  const afterCulprit = append(document, culprit, afterType + 1, maxPositions / 4)
  append(document, errorMessage, afterCulprit + 1, maxPositions - afterCulprit)
  for (const lexeme of symbolLexemes([errorType, culprit, errorMessage]))
    document.push({ lexeme, position: 0 })
  return document
}

/** Whether a document has every term. */
export const matches = (document: TextDocument, terms: ReadonlyArray<TextTerm>): boolean => {
  if (terms.length === 0) return true
  const atPosition: Array<Array<string>> = []
  for (const { lexeme, position } of document) {
    const there = atPosition[position]
    if (there === undefined) atPosition[position] = [lexeme]
    else there.push(lexeme)
  }
  return terms.every((term) => has(atPosition, term))
}

/** A document as the text of a PostgreSQL `tsvector` (to be cast, not to be parsed by a text search configuration). */
export const toTsVector = (document: TextDocument): string => {
  const positions = new Map<string, Array<number>>()
  for (const { lexeme, position } of document) {
    const known = positions.get(lexeme)
    if (known === undefined) positions.set(lexeme, [position])
    else known.push(position)
  }
  const written = (at: ReadonlyArray<number>) => (at[0] === 0 ? "" : `:${at.join(",")}`)
  return Array.from(positions, ([lexeme, at]) => quote(lexeme) + written(at)).join(" ")
}

/** Terms as the text of a PostgreSQL `tsquery` that finds what `matches` finds; empty where there is no term. */
export const toTsQuery = (terms: ReadonlyArray<TextTerm>): string =>
  terms
    .filter((term) => term.words.length > 0)
    .map(({ phrase, words }) => words.map(quote).join(" <-> ") + (phrase ? "" : ":*"))
    .join(" & ")

// internal

// With the mark that lengthens a Katakana vowel, which Unicode gives to no script.
const Ideograph = "[\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\u30fc]"
const Run = new RegExp(`${Ideograph}\\p{M}*|[\\p{L}\\p{N}](?:(?!${Ideograph})[\\p{L}\\p{N}\\p{M}])*`, "gu")

// Before the capital that starts a word: `null|Pointer`, `HTTP|Error`.
const CompoundPart = /(?<=[\p{Ll}\p{N}])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/gu

const MaxCompoundLength = 256
const MaxCompoundParts = 8
const MaxSymbolEnds = 16

const runs = (text: string, limit: number): Array<string> => {
  const found: Array<string> = []
  if (limit <= 0) return found
  for (const [run] of text.normalize("NFC").matchAll(Run)) {
    found.push(run)
    if (found.length >= limit) break
  }
  return found
}

/** The runs of symbols in a text: all that is neither a word nor a blank. */
const symbols = (text: string): ReadonlyArray<string> =>
  toStorable(text.normalize("NFC"))
    .replace(Run, " ")
    .split(/\s+/u)
    .filter((run) => run !== "")
    .map(toLexeme)

/** With the ends of each run: a text of symbols is the beginning of one of them. */
const symbolLexemes = (texts: ReadonlyArray<string>): ReadonlySet<string> => {
  const found = new Set<string>()
  for (const run of texts.flatMap(symbols)) {
    const characters = Array.from(run)
    for (let start = 0; start < Math.min(characters.length, MaxSymbolEnds); start++) {
      if (found.size === maxSymbols) return found
      found.add(characters.slice(start).join(""))
    }
  }
  return found
}

const toLexeme = (run: string): string => {
  const lower = run.toLowerCase()
  if (lower.length <= maxLexemeLength) return lower
  const splitsPair = (lower.charCodeAt(maxLexemeLength) & 0xfc00) === 0xdc00
  return lower.slice(0, splitsPair ? maxLexemeLength - 1 : maxLexemeLength)
}

/** Appends a text's lexemes from a position on; returns the position after them. */
const append = (document: Array<Lexeme>, text: string, from: number, limit: number): number => {
  let position = from
  for (const run of runs(text, limit)) {
    document.push({ lexeme: toLexeme(run), position })
    const compound = run.length > MaxCompoundLength ? run.slice(0, MaxCompoundLength) : run
    let parts = 0
    for (const { index } of compound.matchAll(CompoundPart)) {
      document.push({ lexeme: toLexeme(run.slice(index)), position })
      parts += 1
      if (parts === MaxCompoundParts) break
    }
    position += 1
  }
  return position
}

const has = (
  atPosition: ReadonlyArray<ReadonlyArray<string> | undefined>,
  { phrase, words }: TextTerm,
): boolean => {
  const last = words.length - 1
  if (last < 0) return true
  for (let start = last === 0 ? 0 : 1; start + last < atPosition.length; start++) {
    let matched = true
    for (let i = 0; i <= last && matched; i++) {
      const word = words[i] ?? ""
      const there = atPosition[start + i]
      matched =
        there !== undefined &&
        (i === last && !phrase ? there.some((lexeme) => lexeme.startsWith(word)) : there.includes(word))
    }
    if (matched) return true
  }
  return false
}

const quote = (lexeme: string): string => `'${lexeme.replaceAll("\\", "\\\\").replaceAll("'", "''")}'`
