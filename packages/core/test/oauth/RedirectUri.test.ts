import { describe, expect, it } from "vitest"
import { isLoopback, isRegistered, redirectPlace, redirectUriProblem } from "../../src/oauth/RedirectUri.js"

describe("RedirectUri", () => {
  it.each([
    "https://app.example.com/callback?x=1",
    "http://127.0.0.1/callback",
    "http://127.8.9.1:1234/",
    "http://[::1]:1234/callback",
    "https://[2001:db8::1]/callback",
    "HTTPS://my_app.example.com:444/callback",
    "http://localhost/callback",
    "cursor://anysphere.cursor-mcp/oauth/callback",
    "vscode://publisher.extension/callback",
    "windsurf://x",
    "com.example.app:/callback",
  ])("accepts %s", (uri) => {
    expect(redirectUriProblem(uri)).toBeNull()
    expect(isRegistered([uri], uri)).toBe(true)
  })

  it.each([
    "http://app.example.com/callback",
    "http://127.0.0.1.example.com/callback",
    "http://localhost.example.com/callback",
    "javascript:alert(1)",
    "data:text/html,x",
    "file:///etc/passwd",
    "blob:https://app.example.com/x",
    "about:blank",
    "unknown://x",
    "https://a:b@app.example.com/",
    "https://app.example.com/#",
    "https://app.example.com/a b",
    "https://app.example.com/\u00e4",
    "https://app.example.com\\@evil.example.com/",
    "https:app.example.com/callback",
    "https:/app.example.com/callback",
    "https:///app.example.com/callback",
    "http:127.0.0.1/callback",
    "https://app.example.com;sandbox/callback",
    "https://app.example.com,x/callback",
    "https://app'example.com/callback",
    "/callback",
    "",
  ])("rejects %s", (uri) => {
    expect(redirectUriProblem(uri)).not.toBeNull()
  })

  it("matches loopback addresses on any port, and other URLs exactly", () => {
    const registered = ["http://127.0.0.1/callback", "https://app.example.com/callback"]
    for (const uri of ["http://127.0.0.1:1/callback", "http://127.0.0.1:65535/callback", registered[1]!]) {
      expect([uri, isRegistered(registered, uri)]).toEqual([uri, true])
    }
    for (const uri of [
      "http://localhost/callback",
      "http://127.0.0.2/callback",
      "http://[::1]/callback",
      "http://127.0.0.1:80@evil.example.com/callback",
      "http://127.0.0.1:1/callback/",
      "http://127.0.0.1:1/callback?x",
      "https://127.0.0.1/callback",
      "https://app.example.com:444/callback",
      "https://app.example.com/callback/../other",
      "https://APP.example.com/callback",
    ]) {
      expect([uri, isRegistered(registered, uri)]).toEqual([uri, false])
    }
    expect(isRegistered(["https://localhost:1/callback"], "https://localhost:2/callback")).toBe(false)
  })

  it("recognizes loopback URLs, also with TLS", () => {
    for (const uri of ["http://127.0.0.1:1/x", "https://localhost:1/x", "https://[::1]/x"]) {
      expect([uri, isLoopback(uri)]).toEqual([uri, true])
    }
    for (const uri of ["https://app.example.com/callback", "cursor://localhost/x", "vscode://127.0.0.1/x"]) {
      expect([uri, isLoopback(uri)]).toEqual([uri, false])
    }
  })

  it("names the host or the scheme", () => {
    expect(redirectPlace("https://app.example.com:444/callback")).toBe("app.example.com:444")
    expect(redirectPlace("cursor://anysphere/callback")).toBe("cursor://")
  })
})
