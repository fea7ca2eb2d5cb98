/**
 * The HTTP request and the user that an event is about.
 */
import type { EventRequest, EventUser, Json, JsonObject } from "@errata/core/ports"
import { type Bounds, setMember } from "./Bounds.js"
import { isRecord, parseJson } from "./json.js"
import { entriesOf, isScalar } from "./shapes.js"

export const readRequest = (value: unknown, bounds: Bounds): EventRequest => {
  if (!isRecord(value)) return noRequest
  const headers = readHeaders(value.headers, bounds)
  return {
    url: bounds.short(value.url, "request url"),
    method: bounds.short(value.method, "request method"),
    query_string: readQuery(value.query_string, bounds),
    data: readData(value.data, headers, bounds),
    cookies: readCookies(value.cookies, bounds),
    headers,
    env: isRecord(value.env) ? bounds.object(value.env, 3, "request env") : noMembers,
  }
}

export const readUser = (value: unknown, bounds: Bounds): EventUser => {
  if (!isRecord(value)) return noUser
  const geo = isRecord(value.geo) ? value.geo : undefined
  const address = bounds.short(value.ip_address, "user ip_address")
  let data = isRecord(value.data) ? bounds.object(value.data, 3, "user data") : noMembers
  for (const key of Object.keys(value)) {
    if (knownOfUser.has(key)) continue
    if (data === value.data || data === noMembers) data = { ...data }
    setMember(
      data as Draftable,
      bounds.text(key, bounds.limits.maxKeyBytes, "user data keys"),
      bounds.json(value[key], 3, "user data"),
    )
  }
  return {
    user_id: bounds.short(value.id, "user id"),
    username: bounds.short(value.username, "user username"),
    email: bounds.short(value.email, "user email"),
    // A placeholder for the address of the connection, which is not kept.
    ip_address: address === "{{auto}}" ? "" : address,
    geo_city: bounds.short(geo?.city, "user geo"),
    geo_region: bounds.short(geo?.region, "user geo"),
    geo_country_code: bounds.short(geo?.country_code, "user geo"),
    data,
  }
}

// internal

type Draftable = { [key: string]: Json }

const noMembers: JsonObject = {}

const noRequest: EventRequest = {
  url: "",
  method: "",
  query_string: "",
  data: noMembers,
  cookies: noMembers,
  headers: noMembers,
  env: noMembers,
}

const noUser: EventUser = {
  user_id: "",
  username: "",
  email: "",
  ip_address: "",
  geo_city: "",
  geo_region: "",
  geo_country_code: "",
  data: noMembers,
}

const knownOfUser = new Set(["id", "username", "email", "ip_address", "geo", "data"])

/** A repeated header keeps all values, under the first spelling of its name. */
const readHeaders = (value: unknown, bounds: Bounds): JsonObject => {
  const out: Draftable = {}
  const found = new Map<string, { readonly key: string; readonly values: Array<unknown> }>()
  for (const [key, header] of entriesOf(value)) {
    const name = key.toLowerCase()
    const known = found.get(name)
    const values = Array.isArray(header) ? header.filter(isScalar) : [header]
    if (known === undefined) found.set(name, { key, values })
    else for (const one of values) known.values.push(one)
  }
  for (const [name, { key, values }] of found) {
    const text =
      values.length === 1 ? values[0] : values.filter(isScalar).join(name === "cookie" ? "; " : ", ")
    setMember(
      out,
      bounds.text(key, bounds.limits.maxKeyBytes, "request header names"),
      bounds.long(text, "request headers"),
    )
  }
  return out
}

const readQuery = (value: unknown, bounds: Bounds): string => {
  if (typeof value === "string")
    return bounds.short(value.startsWith("?") ? value.slice(1) : value, "request query")
  if (typeof value !== "object" || value === null) return ""
  const query = new URLSearchParams()
  for (const [key, item] of entriesOf(value)) {
    for (const single of Array.isArray(item) ? item : [item]) {
      query.append(key, bounds.short(single, "request query"))
    }
  }
  return bounds.short(query.toString(), "request query")
}

const readCookies = (value: unknown, bounds: Bounds): JsonObject => {
  if (isRecord(value)) return bounds.object(value, 3, "request cookies")
  const out: Draftable = {}
  const entries = typeof value === "string" ? cookiePairs(value, bounds) : entriesOf(value)
  for (const [key, cookie] of entries) {
    setMember(
      out,
      bounds.text(key, bounds.limits.maxKeyBytes, "request cookie names"),
      bounds.json(cookie, 3, "request cookies"),
    )
  }
  return out
}

const cookiePairs = (header: string, bounds: Bounds): ReadonlyArray<readonly [string, string]> => {
  const pairs: Array<readonly [string, string]> = []
  for (const part of bounds.long(header, "request cookies").split(";")) {
    const equals = part.indexOf("=")
    if (equals > 0) pairs.push([part.slice(0, equals).trim(), part.slice(equals + 1).trim()])
  }
  return pairs
}

// A text body becomes its members if it is JSON or a form, else the member `value`.
const readData = (value: unknown, headers: JsonObject, bounds: Bounds): JsonObject => {
  if (typeof value !== "string") return bounds.object(value, 3, "request data")
  if (value === "") return noMembers
  const text = bounds.long(value, "request data")
  if (text.startsWith("{")) {
    const parsed = parseJson(text)
    if (isRecord(parsed)) return bounds.unclean().object(parsed, 3, "request data")
  } else if (isForm(headers)) {
    const decoded = bounds.unclean()
    const out: Draftable = {}
    for (const [key, field] of new URLSearchParams(text)) {
      const name = decoded.text(key, bounds.limits.maxKeyBytes, "request data keys")
      setMember(out, name, decoded.long(field, "request data"))
    }
    return out
  }
  return { value: text }
}

const isForm = (headers: JsonObject): boolean => {
  for (const name of Object.keys(headers)) {
    if (name.length === 12 && name.toLowerCase() === "content-type") {
      return String(headers[name]).toLowerCase().startsWith("application/x-www-form-urlencoded")
    }
  }
  return false
}
