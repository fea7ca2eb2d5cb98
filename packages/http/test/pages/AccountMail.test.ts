/** Mail about accounts: invitations, links of admins, and lost passwords. */
import { type AccountMail, JobStore, MailFailed } from "@errata/core/ports"
import { Deferred, Effect } from "effect"
import { afterEach, describe, expect, it } from "vitest"
import { Browser, formOf, type Visit } from "../support/Browser.js"
import { start, type TestInstance } from "../support/TestInstance.js"
import { until } from "../support/until.js"

const baseUrl = "https://errata.example.com"

let errata: TestInstance
afterEach(() => errata.stop())

/** An instance with a mail server that records mail. */
const withMail = async (
  answer: (mail: AccountMail) => Effect.Effect<void, MailFailed> = () => Effect.void,
  options: Parameters<typeof start>[0] = {},
) => {
  const mails: Array<AccountMail> = []
  errata = await start({
    transport: "web",
    baseUrl,
    mailer: (mail) =>
      Effect.andThen(
        Effect.sync(() => mails.push(mail)),
        answer(mail),
      ),
    ...options,
  })
  return mails
}

const browserOf = () => new Browser(errata, baseUrl)

const forget = async (emailAddress: string, browser = browserOf(), headers: Record<string, string> = {}) => {
  const page = await browser.visit("/forgot_password")
  const form = formOf(page, "/forgot_password")
  return browser.send(form, { email_address: emailAddress }, headers)
}

describe("Links of admins", () => {
  it("reach the person by mail, as an invitation until there is a password", async () => {
    const mails = await withMail()
    const created = await errata.api("/users", {
      method: "POST",
      body: { email_address: "ada@example.com", name: "Ada" },
      headers: { host: "evil.example.com" },
    })
    expect(created.json).toMatchObject({ mailed: true })
    expect(mails).toEqual([
      {
        kind: "invitation",
        to: "ada@example.com",
        name: "Ada",
        invitedBy: "admin",
        url: created.json.sign_in_link,
        expiresAt: Date.parse(created.json.sign_in_link_expires_at),
      },
    ])
    expect(mails[0]!.url.startsWith(`${baseUrl}/sign_in/link?token=errata-link_`)).toBe(true)
    const browser = browserOf()
    await browser.signIn(mails[0]!.url)
    const account = await browser.visit("/account")
    await browser.send(formOf(account, "/account/password"), { new_password: "correct horse battery" })
    const again = await errata.api(`/users/${created.json.id}/sign_in_link`, { method: "POST" })
    expect(again.json).toMatchObject({ mailed: true })
    expect(mails[1]).toMatchObject({ kind: "password_reset", to: "ada@example.com" })
  })

  it("are returned even if the mail server fails, which health reports without secrets in the log", async () => {
    await withMail(() => new MailFailed({ detail: "550 no such mailbox" }))
    const { json } = await errata.api("/users", { method: "POST", body: { email_address: "b@example.com" } })
    expect(json).toMatchObject({ mailed: false, sign_in_link: expect.stringContaining("errata-link_") })
    const log = errata.logs.join("\n")
    expect(log).toContain("550 no such mailbox")
    expect(log).not.toContain("errata-link_")
    expect(log).not.toContain("b@example.com")
    const { jobs } = await errata.run(Effect.flatMap(JobStore, ({ list }) => list))
    const job = jobs.find(({ name }) => name === "account_mail")
    expect(job).toMatchObject({ failure: "MailFailed", succeededAt: null })
  })

  it("are not mailed without a base URL", async () => {
    const mails = await withMail(undefined, { baseUrl: undefined as never })
    const { json } = await errata.api("/users", { method: "POST", body: { email_address: "c@example.com" } })
    expect(json).toMatchObject({ mailed: false })
    expect(mails).toEqual([])
    expect((await errata.fetch("/forgot_password")).status).toBe(404)
    expect((await errata.fetch("/sign_in")).text).not.toContain("forgot_password")
  })
})

describe("A lost password", () => {
  it("is replaced with a link by mail, which works once and leads to the account", async () => {
    const mails = await withMail()
    const browser = browserOf()
    const signIn = await browser.visit("/sign_in")
    expect(signIn.text).toContain('href="/forgot_password"')
    expect((await forget("MEMBER@example.com", browser)).status).toBe(200)
    await until(() => mails.length === 1, "the mail")
    expect(mails[0]).toMatchObject({ kind: "password_reset", to: "member@example.com", name: "member" })
    const page = await browser.visit(mails[0]!.url)
    const entered = await browser.send(formOf(page, "/sign_in/link"))
    expect([entered.status, entered.location]).toEqual([303, "/account"])
    expect((await browserOf().visit(mails[0]!.url)).status).toBe(410)
    expect(errata.logs.join("\n")).not.toMatch(/errata-link_|member@example/)
  })

  it("gets the same response for known and unknown accounts, before the lookup", async () => {
    const gate = Deferred.makeUnsafe<void>()
    const mails = await withMail(() => Deferred.await(gate))
    const texts = []
    for (const address of ["member@example.com", "nobody@example.com", "a\0\ud800", "", "x".repeat(5_000)]) {
      const { status, text }: Visit = await forget(address)
      expect(status).toBe(200)
      texts.push(text)
    }
    expect(new Set(texts).size).toBe(1)
    expect(texts[0]).toContain("If there is an account with this address, a mail is on its way.")
    // The response arrived before the mail server accepted the mail.
    await until(() => mails.length === 1, "the mail")
    await Effect.runPromise(Deferred.succeed(gate, undefined))
    expect(mails).toHaveLength(1)
  })

  it("is mailed a few times an hour for one account, with the same response afterwards", async () => {
    const mails = await withMail()
    const statuses = []
    for (let count = 0; count < 7; count++) statuses.push((await forget("member@example.com")).status)
    expect(statuses).toEqual(Array(7).fill(200))
    await until(() => errata.logs.some((line) => line.includes("requested too often")), "the mail")
    await until(() => mails.length === 5, "the mail")
    // Others are not kept from theirs.
    await forget("admin@example.com")
    await until(() => mails.length === 6, "the mail")
    expect(mails.filter(({ to }) => to === "member@example.com")).toHaveLength(5)
  })

  it("is limited for one sender", async () => {
    await withMail(undefined, { trustedProxies: 1 })
    const from = (address: string) => ({ "x-forwarded-for": address })
    const browser = browserOf()
    const send = (count: number, address: string) =>
      forget(`somebody${count}@example.com`, browser, from(address))
    for (let count = 0; count < 20; count++) {
      expect((await send(count, "203.0.113.1")).status).toBe(200)
    }
    const refused = await send(20, "203.0.113.1")
    expect(refused.status).toBe(429)
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0)
    expect((await send(21, "203.0.113.2")).status).toBe(200)
  })

  it("rejects forms of other sites, and mails no deactivated users", async () => {
    const mails = await withMail()
    expect((await forget("member@example.com", browserOf(), { origin: "https://evil.example" })).status).toBe(
      403,
    )
    await errata.api(`/users/${errata.memberId}`, { method: "DELETE" })
    await forget("member@example.com")
    await forget("admin@example.com")
    await until(() => mails.length > 0, "the mail")
    expect(mails.map(({ to }) => to)).toEqual(["admin@example.com"])
  })
})
