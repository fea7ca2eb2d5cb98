/** Options of programs without types. */
import { Layer } from "effect"
import type { ErrataOptions } from "./ErrataOptions.js"
import { ErrataStartError } from "./Errors.js"

/** Throws an `ErrataStartError` for a missing storage, names that are no options, and values of the wrong kind. */
export const checkOptions = (options: ErrataOptions): void => {
  const given: Readonly<Record<string, unknown>> = { ...options }
  const names = ["storage", ...Object.keys(checks)]
  const unknown = Object.keys(given).find((name) => !names.includes(name))
  if (unknown !== undefined) {
    throw new ErrataStartError(`unknown option ${unknown}. The options are ${names.join(", ")}`)
  }
  if (!isObject(given.storage) || !("layer" in given.storage)) {
    throw new ErrataStartError(
      "the option storage is missing. Pass memory(), postgres({ url }) or embedded({ dir })",
    )
  }
  for (const [name, { expected, isValid }] of Object.entries(checks)) {
    if (given[name] === undefined || isValid(given[name])) continue
    throw new ErrataStartError(`the option ${name} must be ${expected}`)
  }
  readFiles(options.dashboard)
}

// internal

/** Reads the files, which a bundle does not contain. Later, their absence would fail every request. */
const readFiles = (dashboard: ErrataOptions["dashboard"]): void => {
  try {
    void dashboard?.assets
  } catch (cause) {
    throw new ErrataStartError(cause instanceof Error ? cause.message : String(cause), { cause })
  }
}

interface Check {
  readonly expected: string
  readonly isValid: (value: unknown) => boolean
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null

const isFunction = (value: unknown): boolean => typeof value === "function"

const isTextOf = (isValid: (text: string) => boolean) => (value: unknown) =>
  typeof value === "string" && isValid(value)

const isText = isTextOf(() => true)

const isListOf = (isValid: (value: unknown) => boolean) => (value: unknown) =>
  Array.isArray(value) && value.every(isValid)

const isUrl = (value: unknown): boolean => {
  const url = URL.canParse(String(value)) ? new URL(String(value)) : null
  return url !== null && /^https?:$/.test(url.protocol) && url.search === "" && url.hash === ""
}

const isOrigin = (text: string): boolean => isUrl(text) && new URL(text).origin === text

const isPattern = (value: unknown): boolean =>
  typeof value === "string" ||
  value instanceof RegExp ||
  (typeof value === "function" && typeof value.prototype === "object")

/** Kinds are stored with each target, and their fields are parts of the REST API. */
const isTarget = (target: unknown): target is { readonly kind: string } => {
  if (!isObject(target)) return false
  const { check, fields, kind, label, send } = target
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
  if (!isObject(project)) return false
  const { key, name, ...others } = project
  const isName = name === undefined || typeof name === "string"
  return typeof key === "string" && isName && Object.keys(others).length === 0
}

const text: Check = { expected: "a text", isValid: isText }

const checks: Readonly<Record<Exclude<keyof ErrataOptions, "storage">, Check>> = {
  adapters: { expected: "a layer of Effect", isValid: Layer.isLayer },
  transports: { expected: "an array of transports", isValid: isListOf(isObject) },
  notifications: {
    expected:
      "an array of targets with distinct kinds: 1 to 30 lower-case letters, digits and _, but not webhook or members",
    isValid: (value) =>
      Array.isArray(value) &&
      value.every(isTarget) &&
      new Set(value.map(({ kind }) => kind)).size === value.length,
  },
  baseUrl: { expected: "an http or https URL without query and fragment", isValid: isUrl },
  project: {
    expected: 'a text, or an object such as { key: "shop", name: "Shop" }',
    isValid: (value) => typeof value === "string" || isBinding(value),
  },
  environment: text,
  release: text,
  serverName: text,
  tracer: {
    expected: "a tracer of OpenTelemetry or Effect",
    isValid: (value) => isObject(value) && (isFunction(value.startSpan) || isFunction(value.span)),
  },
  beforeCapture: { expected: "a function", isValid: isFunction },
  ignoreErrors: {
    expected: "an array of texts, regular expressions and classes",
    isValid: isListOf(isPattern),
  },
  sampleRate: {
    expected: "a number from 0 to 1",
    isValid: (value) => typeof value === "number" && value >= 0 && value <= 1,
  },
  maxRepeatsPerSecond: {
    expected: "a whole number from 1, or Infinity",
    isValid: (value) => value === Number.POSITIVE_INFINITY || (Number.isInteger(value) && Number(value) >= 1),
  },
  encryptionKey: text,
  settings: { expected: "an object of settings", isValid: isObject },
  access: {
    expected: "the rules of AccessPolicy, such as { ...AccessPolicy.defaultRules }",
    isValid: (value) => isObject(value) && isObject(value.instance) && isObject(value.project),
  },
  people: {
    expected: "an object with the functions identify and signInUrl",
    isValid: (value) => isObject(value) && isFunction(value.identify) && isFunction(value.signInUrl),
  },
  dashboard: {
    expected: "dashboard of @errata/dashboard",
    isValid: (value) => isObject(value) && "assets" in value && isFunction(value.shell),
  },
  frameAncestors: {
    expected: "an array of 'self' and origins such as https://app.example.com",
    isValid: isListOf(isTextOf((origin) => origin === "'self'" || isOrigin(origin))),
  },
  corsOrigins: {
    expected: "an array of origins such as https://app.example.com, or of *",
    isValid: isListOf(isTextOf((origin) => origin === "*" || isOrigin(origin))),
  },
  metrics: {
    expected: "true, false, or an object with a token that is not empty",
    isValid: (value) =>
      typeof value === "boolean" || (isObject(value) && isTextOf((token) => token !== "")(value.token)),
  },
  trustedProxies: {
    expected: "a whole number from 0",
    isValid: (value) => Number.isInteger(value) && Number(value) >= 0,
  },
  log: { expected: 'a function or "silent"', isValid: (value) => isFunction(value) || value === "silent" },
  now: { expected: "a function", isValid: isFunction },
}
