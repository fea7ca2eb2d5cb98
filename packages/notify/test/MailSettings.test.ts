/** The settings of mail, the addresses of its target, and the layers. */
import { Mailer, NotificationTargets } from "@errata/core/ports"
import { Effect, Layer, Redacted } from "effect"
import { describe, expect, it } from "vitest"
import { chatTargets, layer, type MailSettings, mail, mailLayer } from "../src/index.js"
import * as Settings from "../src/mail/MailSettings.js"

const read = (settings: Partial<MailSettings> & { readonly smtp?: string }) =>
  Settings.read({
    from: "errata@example.com",
    ...settings,
    url: Redacted.make(settings.smtp ?? "smtp://mail.example.com"),
  })

const server = async (smtp: string, settings: Partial<MailSettings> = {}) =>
  (await Effect.runPromise(read({ ...settings, smtp }))).server

const fault = (settings: Parameters<typeof read>[0]) => Effect.runPromise(Effect.flip(read(settings)))

describe("settings", () => {
  it("read the server from the URL", async () => {
    expect(await server("smtp://mail.example.com")).toMatchObject({
      host: "mail.example.com",
      port: 587,
      isSecure: false,
      requiresTls: false,
      credentials: null,
      maxConnections: 3,
    })
    expect(await server("smtps://mail.example.com")).toMatchObject({ port: 465, isSecure: true })
    expect(await server("smtp://[::1]:2525/")).toMatchObject({ host: "::1", port: 2525 })
    expect(await server("smtp://mail.example.com:80")).toMatchObject({ port: 80 })
    const { credentials } = await server("smtp://ann%40example.com:p%40ss%2Fw%25rd@mail.example.com:25")
    expect(credentials?.user).toBe("ann@example.com")
    expect(Redacted.value(credentials!.password)).toBe("p@ss/w%rd")
  })

  it("require TLS for passwords, except on this machine or if the settings disable it", async () => {
    const url = "smtp://ann:secret@mail.example.com"
    expect((await server(url)).requiresTls).toBe(true)
    expect((await server(url, { tls: { required: false } })).requiresTls).toBe(false)
    expect((await server("smtp://ann:secret@localhost")).requiresTls).toBe(false)
    expect((await server("smtp://mail.example.com", { tls: { required: true } })).requiresTls).toBe(true)
  })

  it.each([
    ["http://mail.example.com", "must begin with smtp:// or smtps://"],
    ["mail.example.com:587", "must begin with smtp:// or smtps://"],
    ["smtp://", "must be a URL such as smtp://user:password@mail.example.com:587"],
    ["smtp://mail.example.com:99999", "must be a URL such as smtp://user:password@mail.example.com:587"],
    ["smtp://ann@mail.example.com", "must have a user name and a password, or neither"],
    [
      "smtp://ann:sec/ret@mail.example.com",
      "must be a URL such as smtp://user:password@mail.example.com:587",
    ],
    ["smtp://ann:100%secret@mail.example.com", "has a % in the password; encode it as %25"],
    ["smtp://mail.example.com/path", "must end after the host and port; encode / in the password as %2F"],
    [
      "smtp://mail.example.com?pool=true",
      "must end after the host and port; encode / in the password as %2F",
    ],
  ])("reject %s", async (smtp, reason) => {
    const found = await fault({ smtp })
    expect(found).toMatchObject({ field: "url", reason })
    expect(JSON.stringify(found)).not.toContain("secret")
  })

  it.each([
    "",
    "Errata",
    "errata@",
    "a@b.example, c@d.example",
    "errata@example.com\r\nBcc: eve@example.com",
  ])("reject the sender %j", async (from) => {
    expect(await fault({ from })).toMatchObject({ field: "from" })
  })

  it("read the sender", async () => {
    const { sender } = await Effect.runPromise(read({ from: '"Errata, Shop" <errata@mail.example.com>' }))
    expect(sender).toEqual({
      name: "Errata, Shop",
      address: "errata@mail.example.com",
      domain: "mail.example.com",
    })
  })

  it("limit the connections", async () => {
    expect(await fault({ maxConnections: 0 })).toMatchObject({ field: "maxConnections" })
    expect(await fault({ maxConnections: 1.5 })).toMatchObject({ field: "maxConnections" })
  })
})

describe("the target", () => {
  const check = (to: string) =>
    Effect.runPromise(
      Effect.scoped(
        Effect.map(
          mail({ url: Redacted.make("smtp://127.0.0.1"), from: "errata@example.com" }),
          ({ target }) => target.check({ to }),
        ),
      ),
    )

  it("accepts up to 20 addresses", async () => {
    const addresses = Array.from({ length: 20 }, (_, index) => `a${index}@example.com`)
    expect(await check(addresses.join(", "))).toEqual({})
    expect(await check([...addresses, "b@example.com"].join(","))).toEqual({
      to: "must have at most 20 addresses",
    })
    expect(await check("")).toEqual({ to: "can't be blank" })
  })

  it.each([
    ["ann", "ann"],
    ["ann@example.com, ", "nothing between commas"],
    ["Ann <ann@example.com>", "Ann <ann@example.com>"],
    ["ann@example.com\r\nBcc: eve@example.com", "ann@example.com\r\nBcc: eve@example.com"],
    ["a b@example.com", "a b@example.com"],
    ["ann@-example.com", "ann@-example.com"],
    [`${"a".repeat(65)}@example.com`, `${"a".repeat(65)}@example.com`],
  ])("rejects %j", async (to, shown) => {
    expect(await check(to)).toEqual({ to: `has something that is not an email address: ${shown}` })
  })
})

describe("layers", () => {
  const settings: MailSettings = { url: Redacted.make("smtp://127.0.0.1"), from: "errata@example.com" }
  const provided = (options: Layer.Layer<never, Settings.MailSettingsInvalid>) =>
    Effect.runPromise(
      Effect.gen(function* () {
        const targets = yield* NotificationTargets
        return { kinds: targets.map(({ kind }) => kind), hasMailer: (yield* Mailer) !== null }
      }).pipe(Effect.provide(options)),
    )
  const chats = chatTargets.map(({ kind }) => kind)

  it("provide chats, mail if it is set up, and more targets", async () => {
    const extra = [{ ...chatTargets[0]!, kind: "own" }]
    expect(await provided(layer({ smtp: null }))).toEqual({ kinds: chats, hasMailer: false })
    expect(await provided(layer({ smtp: settings, extra }))).toEqual({
      kinds: ["mail", ...chats, "own"],
      hasMailer: true,
    })
    expect(await provided(mailLayer(settings))).toEqual({ kinds: ["mail"], hasMailer: true })
  })

  it("fail with the invalid setting", async () => {
    const failed = Layer.build(mailLayer({ ...settings, from: "nobody" })).pipe(Effect.scoped, Effect.flip)
    expect(await Effect.runPromise(failed)).toMatchObject({ _tag: "MailSettingsInvalid", field: "from" })
  })
})
