import { describe, expect, it } from "@effect/vitest"
import { Effect, Option, Redacted } from "effect"
import { Keyring, keyIdOf, SealedSecret } from "../../src/ports.js"

const keysOf = (text: string) => Option.getOrThrow(Keyring.parseKeys(text))
const hex = (digit: string) => digit.repeat(64)
const secret = Redacted.make("whsec_é 🐛")

describe("keys", () => {
  it("are read in hexadecimal and base64, one or several", () => {
    const base64 = Buffer.alloc(32, 0xaa).toString("base64")
    const [a] = keysOf(hex("a"))
    for (const text of [base64, base64.replace("=", ""), hex("A"), ` ${base64} `]) {
      expect(keysOf(text).map(({ id }) => id)).toEqual([a?.id])
    }
    expect(keysOf(`${hex("b")}, ${hex("a")}`).map(({ id }) => id)).toEqual([keysOf(hex("b"))[0]?.id, a?.id])
    for (const text of ["", ",", "secret", hex("a").slice(1), `${hex("a")}a`, `${hex("a")},`, `${base64}x`]) {
      expect(Keyring.parseKeys(text)).toEqual(Option.none())
    }
  })

  it.effect("are generated in a readable form, and are redacted in JSON", () =>
    Effect.gen(function* () {
      const [one, other] = [yield* Keyring.generateKey, yield* Keyring.generateKey]
      expect(Redacted.value(one)).not.toBe(Redacted.value(other))
      const [key] = keysOf(Redacted.value(one))
      expect(key?.id).toMatch(/^[0-9a-f]{8}$/)
      expect(JSON.stringify(key)).toBe(JSON.stringify({ id: key?.id, key: {} }))
    }),
  )
})

describe("secrets", () => {
  it.effect("open with the key that sealed them, at any position of the list, for the same place", () =>
    Effect.gen(function* () {
      const sealed = yield* Keyring.seal(keysOf(`${hex("a")},${hex("b")}`), secret, "here")
      expect(keyIdOf(sealed)).toBe(keysOf(hex("a"))[0]?.id)
      expect(sealed).toMatch(/^v1\.[0-9a-f]{8}\.[\w-]+$/)
      expect(yield* Keyring.open(keysOf(`${hex("c")},${hex("a")}`), sealed, "here")).toEqual(secret)
      // Never the same twice.
      expect(yield* Keyring.seal(keysOf(hex("a")), secret, "here")).not.toBe(sealed)
      expect(yield* Effect.flip(Keyring.seal([], secret, "here"))).toMatchObject({
        _tag: "EncryptionKeyMissing",
      })
    }),
  )

  it.effect("do not open with another key, for another place, or with any byte changed", () =>
    Effect.gen(function* () {
      const keys = keysOf(hex("a"))
      const sealed = yield* Keyring.seal(keys, secret, "here")
      const isOpened = (text: string, place = "here", keyring = keys) =>
        Effect.isSuccess(Keyring.open(keyring, SealedSecret.make(text), place))
      expect(yield* isOpened(sealed)).toBe(true)
      expect(yield* isOpened(sealed, "there")).toBe(false)
      expect(yield* isOpened(sealed, "here", keysOf(hex("b")))).toBe(false)
      const [version, id, data] = sealed.split(".") as [string, string, string]
      const bytes = Buffer.from(data, "base64url")
      for (let i = 0; i < bytes.length; i++) {
        const changed = Buffer.from(bytes)
        changed[i]! ^= 1
        expect(yield* isOpened(`${version}.${id}.${changed.toString("base64url")}`)).toBe(false)
      }
      for (const text of [
        "",
        "v1",
        `v1.${id}`,
        `v1.${id}.`,
        `v2.${id}.${data}`,
        `${version}.${id}.${data.slice(8)}`,
      ]) {
        expect(yield* isOpened(text)).toBe(false)
      }
    }),
  )
})
