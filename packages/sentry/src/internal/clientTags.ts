/**
 * Derives tags for the browser, the system, the device and the user from the event's contexts or the `User-Agent` of
 * its request. A tag of the sender with the same key takes precedence.
 */

import { BoundedCache } from "@errata/core/internal"
import type { EventDetails, JsonObject, Tag } from "@errata/core/ports"
import Bowser from "bowser"
import type { Bounds } from "./Bounds.js"

type Described = Pick<EventDetails, "contexts" | "request" | "user">

/** The tags of the sender, and those that follow from the rest of an event. */
export const withClientTags = (
  tags: ReadonlyArray<Tag>,
  { contexts, request, user }: Described,
  bounds: Bounds,
): ReadonlyArray<Tag> => {
  const all = tags.slice()
  const add = (key: string, value: string) => {
    if (value === "" || all.length >= bounds.limits.maxTags || tags.some((tag) => tag.key === key)) return
    all.push({ key, value: bounds.text(value, bounds.limits.maxTagValueBytes, "tag values") })
  }
  const context = (name: string) => contexts.find((one) => one.name === name)?.data
  const client = clientOf(userAgentOf(request.headers))
  const device = context("device")
  for (const name of ["browser", "os"] as const) {
    const own = context(name)
    // A version without its name would be that of something else.
    const [value, version] = isNamed(own) ? [own.name, textOf(own, "version")] : client[name]
    add(name, value)
    add(`${name}.version`, version)
  }
  add("device", textOf(device, "model") || textOf(device, "family") || client.device)
  add("user.id", user.user_id)
  add("user.email", user.email)
  add("user.ip", user.ip_address)
  return all.length === tags.length ? tags : all
}

// internal

type Named = readonly [name: string, version: string]

interface Client {
  readonly browser: Named
  readonly os: Named
  readonly device: string
}

const nobody: Client = { browser: ["", ""], os: ["", ""], device: "" }

/** Parsing one takes 25 us, and few differ. */
const clients = new BoundedCache<string, Client>(1_000)

/** No browser has a longer one. */
const maxUserAgent = 500

const clientOf = (userAgent: string): Client => {
  if (userAgent === "") return nobody
  const known = clients.get(userAgent)
  if (known !== undefined) return known
  const { browser, os, platform } = Bowser.parse(userAgent)
  const client: Client = {
    browser: [browser.name ?? "", browser.version ?? ""],
    // `10` instead of `NT 10.0`.
    os: [os.name ?? "", (os.name === "Windows" ? os.versionName : undefined) ?? os.version ?? ""],
    device: platform.model ?? "",
  }
  clients.set(userAgent, client)
  return client
}

const userAgentOf = (headers: JsonObject): string => {
  for (const name of Object.keys(headers)) {
    if (name.length === header.length && name.toLowerCase() === header) {
      return textOf(headers, name).slice(0, maxUserAgent)
    }
  }
  return ""
}

const header = "user-agent"

const textOf = (data: JsonObject | undefined, key: string): string => {
  const value = data?.[key]
  // SDKs read some values from files, with the end of the line.
  return typeof value === "string" ? value.trim() : ""
}

const isNamed = (data: JsonObject | undefined): data is JsonObject & { readonly name: string } =>
  textOf(data, "name") !== ""
