/**
 * Full-text search for groups, equal in every storage. A document is a list of lexemes with positions. A term matches
 * words at consecutive positions. Storages with an index of their own store the same lexemes as a `tsvector`.
 *
 * Symbols, as in `%%%`, `=>` or an emoji, separate words. A text of symbols alone matches literally.
 */
import { toStorable } from "../validation/StorableText.js"

/** An indexed word. */
export interface Lexeme {
  readonly lexeme: string
  /** From 1. Lexemes of one word share a position. Symbols have position 0. */
  readonly position: number
}

/** The lexemes of a group. */
export type TextDocument = ReadonlyArray<Lexeme>

/**
 * Words at consecutive positions, as `words` returns them. In a phrase, every word is a whole lexeme. Otherwise the
 * last one is a prefix.
 *
 * A term of symbols has one run of them and is no phrase.
 */
export interface TextTerm {
  readonly words: ReadonlyArray<string>
  readonly phrase: boolean
}

/** Maximum number of positions in a document. Later words are not indexed. */
export const maxPositions = 256

/** Maximum length of a lexeme in UTF-16 units. Longer words are cut in documents and queries. */
export const maxLexemeLength = 64

/** Maximum number of distinct symbol lexemes in a document. Further ones are not indexed. */
export const maxSymbols = 128

/** Returns one term with the words of a text. A text without words has a term per run of symbols. */
export const termsOf = (text: string, phrase: boolean): ReadonlyArray<TextTerm> => {
  const found = words(text)
  return found.length > 0
    ? [{ words: found, phrase }]
    : symbols(text).map((run) => ({ words: [run], phrase: false }))
}

/** The words of a text in order and lower case: runs of letters and digits, and each ideograph and kana. */
export const words = (text: string): ReadonlyArray<string> =>
  runs(text, Number.POSITIVE_INFINITY).map(toLexeme)

/**
 * The lexemes of a text, with positions from 1. The ends of a compound word are lexemes too: `NullPointerException`
 * adds `pointerexception` and `exception` at the same position.
 */
export const lexemes = (text: string, limit: number = maxPositions): TextDocument => {
  const document: Array<Lexeme> = []
  append(document, text, 1, limit)
  return document
}

/** The document of a group. Phrases do not match across its parts. Symbols come last. */
export const documentOf = (errorType: string, errorMessage: string, culprit: string): TextDocument => {
  const document: Array<Lexeme> = []
  // The message comes last, so that only the message is cut.
  const afterType = append(document, errorType, 1, maxPositions / 4)
  const afterCulprit = append(document, culprit, afterType + 1, maxPositions / 4)
  append(document, errorMessage, afterCulprit + 1, maxPositions - afterCulprit)
  for (const lexeme of symbolLexemes([errorType, culprit, errorMessage]))
    document.push({ lexeme, position: 0 })
  return document
}

/** Returns true if a document matches every term. */
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

/** Formats a document as PostgreSQL `tsvector` text. Cast it; do not parse it with a text search configuration. */
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

/** Formats terms as PostgreSQL `tsquery` text, which matches like `matches`. Empty without terms. */
export const toTsQuery = (terms: ReadonlyArray<TextTerm>): string =>
  terms
    .filter((term) => term.words.length > 0)
    .map(({ phrase, words }) => words.map(quote).join(" <-> ") + (phrase ? "" : ":*"))
    .join(" & ")

// internal

// Includes the Katakana length mark, which has no script in Unicode.
const Ideograph = "[\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\u30fc]"
const Run = new RegExp(`${Ideograph}\\p{M}*|[\\p{L}\\p{N}](?:(?!${Ideograph})[\\p{L}\\p{N}\\p{M}])*`, "gu")

// Before a capital letter that starts a word: `null|Pointer`, `HTTP|Error`.
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

/** The runs of symbols in a text: everything except words and spaces. */
const symbols = (text: string): ReadonlyArray<string> =>
  toStorable(text.normalize("NFC"))
    .replace(Run, " ")
    .split(/\s+/u)
    .filter((run) => run !== "")
    .map(toLexeme)

/** Includes the ends of each run, because a query matches as a prefix of a lexeme. */
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

/** Appends a text's lexemes from a position. Returns the position after them. */
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
