import { canonicalOrigin } from "@errata/core/internal"
import { Result } from "effect"
import { describe, expect, it } from "vitest"

const reasonOf = (text: string) => Result.getOrElse(Result.flip(canonicalOrigin(text)), (origin) => origin)

describe("canonicalOrigin", () => {
  it.each([
    ["https://example.com", "https://example.com"],
    ["https://cdn.example.com/", "https://cdn.example.com"],
    ["  HTTPS://CDN.Example.COM  ", "https://cdn.example.com"],
    ["https://example.com.", "https://example.com"],
    ["https://example.com./", "https://example.com"],
    ["https://example.com:443", "https://example.com"],
    ["https://example.com:", "https://example.com"],
    ["https://example.com:08443", "https://example.com:8443"],
    ["https://bücher.example.com", "https://xn--bcher-kva.example.com"],
    ["https://BÜCHER.example.com", "https://xn--bcher-kva.example.com"],
    ["https://ex%61mple.com", "https://example.com"],
    ["https://a-b.1.example.co.uk", "https://a-b.1.example.co.uk"],
    ["https://localhost.example.com", "https://localhost.example.com"],
    ["https://mylocal.com", "https://mylocal.com"],
  ])("makes %j %s", (text, origin) => {
    expect(canonicalOrigin(text)).toEqual(Result.succeed(origin))
    expect(canonicalOrigin(origin)).toEqual(Result.succeed(origin))
  })

  it.each([
    ["", "must start with https://"],
    ["example.com", "must start with https://"],
    ["//example.com", "must start with https://"],
    ["https:example.com", "must start with https://"],
    ["https:/example.com", "must start with https://"],
    ["https:\\\\example.com", "must start with https://"],
    ["http://example.com", "must start with https://"],
    ["ftp://example.com", "must start with https://"],
    ["javascript:alert(1)//https://example.com", "must start with https://"],
    ["https://", "must name a host"],
    ["https:///example.com", "must name a host"],
    ["https://example.com/maps", "must not have a path"],
    ["https://example.com//", "must not have a path"],
    ["https://example.com/.", "must not have a path"],
    ["https://example.com\\maps", "must not have a path"],
    ["https://example.com\\", "must not have a path"],
    ["https://example.com?", "must not have a query"],
    ["https://example.com/?a=b", "must not have a query"],
    ["https://example.com#", "must not have a fragment"],
    ["https://example.com/#top", "must not have a fragment"],
    ["https://user@example.com", "must not have credentials"],
    ["https://user:secret@example.com", "must not have credentials"],
    ["https://@example.com", "must not have credentials"],
    ["https://:@example.com", "must not have credentials"],
    ["https://*.example.com", "must not have a wildcard"],
    ["https://*", "must not have a wildcard"],
    ["https://%2A.example.com", "must not have a wildcard"],
    ["https://＊.example.com", "must not have a wildcard"],
  ])("refuses %j: %s", (text, reason) => {
    expect(reasonOf(text)).toBe(reason)
  })

  it.each([
    "127.0.0.1",
    "8.8.8.8",
    "8.8.8.8.",
    "8.8.8.8:8443",
    "0x7f.1",
    "0x7f000001",
    "2130706433",
    "0177.0.0.1",
    "127.1",
    "0",
    "１２７.0.0.1",
    "%31%32%37.0.0.1",
    "[::1]",
    "[2001:db8::1]:8443",
    "[::ffff:127.0.0.1]",
  ])("refuses the address %s", (host) => {
    expect(reasonOf(`https://${host}`)).toBe("must not be an IP address")
  })

  it.each([
    "localhost",
    "LOCALHOST.",
    "app.localhost",
    "com",
    "intranet:8443",
    "printer.local",
    "db.internal",
    "router.home.arpa",
    "home.arpa",
    "a.test",
    "a.invalid",
    "a.example",
  ])("refuses %s, which is not public", (host) => {
    expect(reasonOf(`https://${host}`)).toBe("must be a public host")
  })

  it.each([
    "exa mple.com",
    "exa\tmple.com",
    "exa\nmple.com",
    "example.com\0",
    "example..com",
    ".example.com",
    "example.com..",
    "-a.example.com",
    "a-.example.com",
    "under_score.example.com",
    "a,b.example.com",
    "example.com:65536",
    "example.com:0",
    "example.com:x",
    "example.com:-1",
    ":8443",
    "256.256.256.256",
    "example.1",
    "[example.com]",
    "xn--.example.com",
    "ex%2Fample.com",
    "ex%zzample.com",
    `${"a".repeat(64)}.example.com`,
    `${"a.".repeat(126)}com`,
    "\ud800.example.com",
  ])("refuses %j, which is not a valid host", (host) => {
    expect(reasonOf(`https://${host}`)).toBe("is not an origin with a valid host name and port")
  })
})
