/** Options of programs without types. */
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
}

// internal

const names: Readonly<Record<keyof ErrataOptions, true>> = {
  storage: true,
  adapters: true,
  transports: true,
  baseUrl: true,
  project: true,
  environment: true,
  release: true,
  serverName: true,
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
