import { Result } from "effect"
import { describe, expect, it } from "vitest"
import { readCredentials } from "../src/index.js"
import { parseDsn } from "../src/SentryAuth.js"
import { key } from "./support.js"

const read = (headers: Record<string, string>, query = "", pathKey?: string) =>
  readCredentials({ header: (name) => headers[name], query, ...(pathKey === undefined ? {} : { pathKey }) })

const keyOf = (...args: Parameters<typeof read>) => Result.getOrThrow(read(...args))?.key

const reasonOf = (...args: Parameters<typeof read>) =>
  Result.flip(read(...args)).pipe(Result.getOrThrow).reason

const basic = (text: string) => `Basic ${Buffer.from(text).toString("base64")}`

describe("SentryAuth", () => {
  it.each([
    ["X-Sentry-Auth", { "x-sentry-auth": `Sentry sentry_version=7, sentry_client=x/1, sentry_key=${key}` }],
    ["no space after commas", { "x-sentry-auth": `Sentry sentry_key=${key},sentry_version=7` }],
    ["other case", { "x-sentry-auth": `SENTRY Sentry_Version=7, SENTRY_KEY=${key}` }],
    ["no scheme", { "x-sentry-auth": `sentry_key=${key}` }],
    [
      "an old version and a secret",
      { "x-sentry-auth": `Sentry sentry_version=2.0, sentry_key=${key}, sentry_secret=s` },
    ],
    ["Authorization", { authorization: `Sentry sentry_version=7, sentry_key=${key}` }],
    ["Basic", { authorization: basic(`${key}:`) }],
    ["Basic without a colon", { authorization: basic(key) }],
  ])("reads the key from %s", (_, headers) => {
    expect(keyOf(headers)).toBe(key)
  })

  it("reads the key from the query and from the path", () => {
    expect(keyOf({}, `sentry_version=7&sentry_key=${key}&sentry_client=sentry.javascript.browser%2F10`)).toBe(
      key,
    )
    expect(keyOf({}, "", key)).toBe(key)
  })

  it("returns the client's name", () => {
    const credentials = Result.getOrThrow(read({}, `sentry_key=${key}&sentry_client=a%2F1`))
    expect(credentials).toEqual({ key, client: "a/1" })
  })

  it.each([[{}], [{ authorization: "Bearer abc" }], [{ "x-sentry-auth": "Sentry sentry_version=7" }]])(
    "finds none in %j",
    (headers) => {
      expect(Result.getOrThrow(read(headers as Record<string, string>, "a=b"))).toBeNull()
    },
  )

  it("accepts a repeated key, and rejects two different ones", () => {
    const header = { "x-sentry-auth": `Sentry sentry_key=${key}` }
    expect(keyOf(header, `sentry_key=${key}`)).toBe(key)
    expect(reasonOf(header, "sentry_key=other")).toBe("conflicting_keys")
    expect(reasonOf({}, `sentry_key=${key}&sentry_key=other`)).toBe("conflicting_keys")
    expect(reasonOf({ ...header, authorization: basic("other:") })).toBe("conflicting_keys")
  })

  it.each(["9", "1", "-7", "x", "7.x", "70000"])("refuses version %s", (version) => {
    expect(reasonOf({}, `sentry_key=${key}&sentry_version=${version}`)).toBe("unsupported_version")
  })

  it.each(["2", "7", "8"])("accepts version %s", (version) => {
    expect(keyOf({}, `sentry_key=${key}&sentry_version=${version}`)).toBe(key)
  })

  it("rejects malformed keys", () => {
    expect(reasonOf({}, "sentry_key=%00")).toBe("invalid_key")
    expect(reasonOf({ "x-sentry-auth": `Sentry sentry_key=${"a".repeat(200)}` })).toBe("invalid_key")
  })

  it("reads DSNs", () => {
    expect(parseDsn(`https://${key}@errors.example/42`)).toEqual({ key, projectId: "42" })
    expect(parseDsn(`https://${key}:secret@errors.example/some/prefix/42`)).toEqual({ key, projectId: "42" })
    for (const dsn of ["", "nonsense", "https://errors.example/42", `https://${key}@errors.example/`]) {
      expect(parseDsn(dsn)).toBeNull()
    }
  })
})
