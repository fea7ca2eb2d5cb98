/** Options of programs without types. */
import type { CaptureControlOptions } from "@errata/effect/capture"
import type { ErrataOptions } from "./ErrataOptions.js"
import { ErrataStartError } from "./Errors.js"

/** Throws an `ErrataStartError` for a missing storage and for names that are no options. */
export const checkOptions = (options: ErrataOptions): void => {
  const given: Readonly<Record<string, unknown>> = { ...options }
  const unknown = Object.keys(given).find((name) => !Object.hasOwn(names, name))
  if (unknown !== undefined) {
    const known = Object.keys(names).join(", ")
    throw new ErrataStartError(`unknown option ${unknown}. The options are ${known}`)
  }
  const storage = given.storage
  if (typeof storage !== "object" || storage === null || !("layer" in storage)) {
    throw new ErrataStartError(
      "the option storage is missing. Pass memory(), postgres({ url }) or embedded({ dir })",
    )
  }
  for (const [name, { expected, isValid }] of Object.entries(checks)) {
    if (given[name] === undefined || isValid(given[name])) continue
    throw new ErrataStartError(`the option ${name} must be ${expected}`)
  }
}

// internal

interface Check {
  readonly expected: string
  readonly isValid: (value: unknown) => boolean
}

const checks: Readonly<Record<keyof CaptureControlOptions | "project" | "notifications", Check>> = {
  notifications: {
    expected:
      "an array of targets with distinct kinds: 1 to 30 lower-case letters, digits and _, but not webhook or members",
    isValid: (value) =>
      Array.isArray(value) &&
      value.every(isTarget) &&
      new Set(value.map(({ kind }) => kind)).size === value.length,
  },
  project: {
    expected: 'a text, or an object such as { key: "shop", name: "Shop" }',
    isValid: (value) => typeof value === "string" || isBinding(value),
  },
  beforeCapture: { expected: "a function", isValid: (value) => typeof value === "function" },
  ignoreErrors: {
    expected: "an array of texts, regular expressions and classes",
    isValid: (value) => Array.isArray(value) && value.every(isPattern),
  },
  sampleRate: {
    expected: "a number from 0 to 1",
    isValid: (value) => typeof value === "number" && value >= 0 && value <= 1,
  },
  maxRepeatsPerSecond: {
    expected: "a whole number from 1, or Infinity",
    isValid: (value) => value === Number.POSITIVE_INFINITY || (Number.isInteger(value) && Number(value) >= 1),
  },
}

const isPattern = (value: unknown): boolean =>
  typeof value === "string" ||
  value instanceof RegExp ||
  (typeof value === "function" && typeof value.prototype === "object")

/** Kinds are stored with each target, and their fields are parts of the REST API. */
const isTarget = (target: unknown): target is { readonly kind: string } => {
  if (typeof target !== "object" || target === null) return false
  const { check, fields, kind, label, send } = target as Readonly<Record<string, unknown>>
  return (
    isName(kind) &&
    !["webhook", "members"].includes(kind) &&
    typeof label === "string" &&
    Array.isArray(fields) &&
    fields.length <= 20 &&
    fields.every((field) => isName(field?.name)) &&
    typeof check === "function" &&
    typeof send === "function"
  )
}

const isName = (text: unknown): text is string => typeof text === "string" && /^[a-z0-9_]{1,30}$/.test(text)

const isBinding = (project: unknown): boolean => {
  if (typeof project !== "object" || project === null || !("key" in project)) return false
  const { key, name, ...others } = project as { readonly key: unknown; readonly name?: unknown }
  const isName = name === undefined || typeof name === "string"
  return typeof key === "string" && isName && Object.keys(others).length === 0
}

const names: Readonly<Record<keyof ErrataOptions, true>> = {
  storage: true,
  adapters: true,
  transports: true,
  notifications: true,
  baseUrl: true,
  project: true,
  environment: true,
  release: true,
  serverName: true,
  tracer: true,
  beforeCapture: true,
  ignoreErrors: true,
  sampleRate: true,
  maxRepeatsPerSecond: true,
  encryptionKey: true,
  settings: true,
  access: true,
  people: true,
  dashboard: true,
  frameAncestors: true,
  corsOrigins: true,
  metrics: true,
  trustedProxies: true,
  log: true,
  now: true,
}
