/**
 * Truncates the values of an event to the limits and records each truncation. One instance per event. Every string of
 * an event passes here, so clean strings within the limits are returned without a copy.
 */
import type { IngestLimits, Json, JsonObject } from "@errata/core/ports"
import { isRecord, type UnknownRecord } from "./json.js"

/** Replaces values that are nested too deep. */
const nestedTooDeep = "[nested too deeply]"

export class Bounds {
  /** `clean`: true if no string contains a NUL or a lone surrogate. */
  constructor(
    readonly limits: IngestLimits,
    private readonly clean: boolean,
    private readonly cuts: Set<string> = new Set(),
  ) {}

  /** The same bounds for strings that were decoded, formatted or cut, and so may be unclean again. */
  unclean(): Bounds {
    return this.clean ? new Bounds(this.limits, false, this.cuts) : this
  }

  /** The truncations so far, in order. */
  truncations(): ReadonlyArray<string> {
    return Array.from(this.cuts)
  }

  /** `name` is Errata's name of the field and never the sender's, which keeps the list short. */
  note(truncation: string): void {
    this.cuts.add(truncation)
  }

  /** A string without NULs and lone surrogates, of at most `maxBytes` in UTF-8. */
  text(value: string, maxBytes: number, name: string): string {
    const text = this.clean || !suspicious.test(value) ? value : scrub(value)
    if (text.length * 3 <= maxBytes) return text
    return this.cut(text, maxBytes, name)
  }

  /** A string that is indexed or shown in lists. Other scalars become text, anything else JSON. */
  short(value: unknown, name: string): string {
    return this.scalar(value, this.limits.maxShortStringBytes, name)
  }

  /** Like `short`, for strings that only a detail view shows. */
  long(value: unknown, name: string): string {
    return this.scalar(value, this.limits.maxStringBytes, name)
  }

  scalar(value: unknown, maxBytes: number, name: string): string {
    if (typeof value === "string") return this.text(value, maxBytes, name)
    if (value === undefined || value === null) return ""
    if (typeof value === "object") return this.text(JSON.stringify(this.json(value, 4, name)), maxBytes, name)
    return this.text(String(value), maxBytes, name)
  }

  /** Any value as bounded JSON. `depth` is its depth in the event, whose own is 1. */
  json(value: unknown, depth: number, name: string): Json {
    if (typeof value === "string") return this.text(value, this.limits.maxStringBytes, name)
    if (typeof value === "number") return Number.isFinite(value) ? value : null
    if (typeof value === "boolean") return value
    if (typeof value !== "object" || value === null) return null
    if (depth > this.limits.maxDepth) {
      this.note(`${name}: nested deeper than ${this.limits.maxDepth}`)
      return nestedTooDeep
    }
    return Array.isArray(value)
      ? this.array(value, depth, name)
      : this.members(value as UnknownRecord, depth, name)
  }

  /** An object as bounded JSON. Null becomes an empty object; any other value becomes the member `value`. */
  object(value: unknown, depth: number, name: string): JsonObject {
    if (isRecord(value)) {
      if (depth <= this.limits.maxDepth) return this.members(value, depth, name)
      this.note(`${name}: nested deeper than ${this.limits.maxDepth}`)
      return { value: nestedTooDeep }
    }
    return value === undefined || value === null ? {} : { value: this.json(value, depth, name) }
  }

  /** The first `max` of a list. */
  first<A>(list: ReadonlyArray<A>, max: number, name: string): ReadonlyArray<A> {
    return list.length <= max ? list : this.kept(list.slice(0, max), list, name)
  }

  /** The last `max` of a list. */
  last<A>(list: ReadonlyArray<A>, max: number, name: string): ReadonlyArray<A> {
    return list.length <= max ? list : this.kept(list.slice(list.length - max), list, name)
  }

  /** The first and the last items of a list, half of `max` each. */
  ends<A>(list: ReadonlyArray<A>, max: number, name: string): ReadonlyArray<A> {
    if (list.length <= max) return list
    const head = Math.floor(max / 2)
    const tail = list.slice(list.length - (max - head))
    return this.kept(head === 0 ? tail : list.slice(0, head).concat(tail), list, name)
  }

  private kept<A>(kept: ReadonlyArray<A>, list: ReadonlyArray<A>, name: string): ReadonlyArray<A> {
    this.note(`${name}: ${kept.length} of ${list.length} kept`)
    return kept
  }

  private cut(text: string, maxBytes: number, name: string): string {
    // UTF-8 has at least one byte per UTF-16 unit, so only short strings need the exact count.
    if (text.length <= maxBytes && Buffer.byteLength(text) <= maxBytes) return text
    this.note(`${name}: cut to ${maxBytes} bytes`)
    return text.slice(0, encoder.encodeInto(text, scratch(maxBytes)).read)
  }

  // Copies on the first difference: most lists are unchanged.
  private array(list: ReadonlyArray<unknown>, depth: number, name: string): ReadonlyArray<Json> {
    let copy: Array<Json> | null = null
    for (let i = 0; i < list.length; i++) {
      const value = list[i]
      const bounded = this.json(value, depth + 1, name)
      if (copy !== null) copy.push(bounded)
      else if (bounded !== value) {
        copy = list.slice(0, i) as Array<Json>
        copy.push(bounded)
      }
    }
    return copy ?? (list as ReadonlyArray<Json>)
  }

  private members(record: UnknownRecord, depth: number, name: string): JsonObject {
    const keys = Object.keys(record)
    let copy: { [key: string]: Json } | null = null
    for (let i = 0; i < keys.length; i++) {
      const key = keys[i]!
      const value = record[key]
      const bounded = this.json(value, depth + 1, name)
      const boundedKey = this.text(key, this.limits.maxKeyBytes, `${name} keys`)
      if (copy === null && (bounded !== value || boundedKey !== key || key === "__proto__")) {
        copy = {}
        for (let j = 0; j < i; j++) copy[keys[j]!] = record[keys[j]!] as Json
      }
      if (copy !== null) setMember(copy, boundedKey, bounded)
    }
    return copy ?? (record as JsonObject)
  }
}

/** Sets a member. Ignores `__proto__`, which would replace the prototype. */
export const setMember = (target: { [key: string]: Json }, key: string, value: Json): void => {
  if (key !== "__proto__") target[key] = value
}

/** True if a JSON text contains no NUL and no lone surrogate. Decoded UTF-8 has them only as `\u` escapes. */
export const isCleanJson = (text: string): boolean => !text.includes("\\u") || !suspiciousEscape.test(text)

// internal

const suspicious = /[\0\ud800-\udfff]/
const suspiciousEscape = /\\u(?:0000|[dD][89a-fA-F])/
const nul = /\0/g
const encoder = new TextEncoder()

const loneSurrogate = /\p{Surrogate}/gu

const scrub = (value: string): string => value.replace(nul, "").replace(loneSurrogate, "\ufffd")

let buffer = new Uint8Array(64 * 1024)
const scratch = (size: number): Uint8Array => {
  if (buffer.length < size) buffer = new Uint8Array(size)
  return buffer.subarray(0, size)
}
