/** The unsubscribe link: a page for users, and a one-click request for mail clients. */
import { UserId } from "@errata/core"
import { Keyring, MemberMailStore } from "@errata/core/ports"
import { Effect, Option, Redacted } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { Browser, formOf } from "../support/Browser.js"
import * as Dispatching from "../support/Dispatching.js"
import { memberKey, start, type TestInstance } from "../support/TestInstance.js"
import { mailTarget, type SentMail } from "../support/TestTarget.js"
import { until } from "../support/until.js"

const oneClick = {
  method: "POST",
  headers: { "content-type": "application/x-www-form-urlencoded" },
  body: "List-Unsubscribe=One-Click",
}

describe("The link that stops mail", () => {
  let errata: TestInstance
  let stopDispatching: () => Promise<void>
  const sent: Array<SentMail> = []
  let reports = 0
  beforeAll(async () => {
    errata = await start({ targets: [mailTarget(sent)] })
    stopDispatching = Dispatching.start(errata)
  })
  afterAll(async () => {
    await stopDispatching()
    await errata.stop()
  })

  /** The link of the next mail to an address about a new error. */
  const linkTo = async (address: string): Promise<string> => {
    const before = sent.length
    await errata.report({ exception: { values: [{ type: `Failure${"x".repeat(reports++)}` }] } })
    const find = () => sent.slice(before).find(({ address: { to } }) => to === address)
    await until(() => find() !== undefined, `mail to ${address}`)
    const url = find()!.options.unsubscribeUrl
    expect(url).toMatch(new RegExp(`^${errata.url}/unsubscribe/[\\w.-]+$`))
    return url!.slice(errata.url.length)
  }

  const modeOf = async (): Promise<string> =>
    (await errata.api(`/projects/${errata.mine.id}/mail_settings`, { key: memberKey })).json.mode

  const reset = () =>
    errata.api(`/projects/${errata.mine.id}/mail_settings`, {
      method: "PATCH",
      key: memberKey,
      body: { mode: "everything" },
    })

  const createTarget = async (to: string): Promise<number> => {
    const answer = await errata.api(`/projects/${errata.mine.id}/targets`, {
      method: "POST",
      body: { kind: "mail", name: "Team", address: { to } },
    })
    expect(answer.status).toBe(201)
    return answer.json.id
  }

  it("shows a form without an account, and changes nothing when it is only opened", async () => {
    await reset()
    const link = await linkTo("member@example.com")
    const browser = new Browser(errata)
    const page = await browser.visit(link)
    expect(page.status).toBe(200)
    expect(page.headers.get("cache-control")).toBe("no-store")
    expect(page.headers.get("referrer-policy")).toBe("no-referrer")
    expect(page.headers.get("x-frame-options")).toBe("DENY")
    expect(page.headers.getSetCookie()).toEqual([])
    const head = await errata.fetch(link, { method: "HEAD" })
    expect([head.status, head.text]).toEqual([200, ""])
    expect(await modeOf()).toBe("everything")
    const stopped = await browser.send(formOf(page, link))
    expect([stopped.status, stopped.headers.get("referrer-policy")]).toEqual([200, "no-referrer"])
    expect(stopped.text).toContain("The mail is stopped")
    expect(await modeOf()).toBe("nothing")
  })

  it("stops mail to a member with one request, which may be repeated concurrently", async () => {
    await reset()
    const link = await linkTo("member@example.com")
    const answers = await Promise.all([1, 2, 3].map(() => errata.fetch(link, oneClick)))
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
    expect(await modeOf()).toBe("nothing")
    // Mail clients may send a multipart form, from any origin.
    const form = new FormData()
    form.set("List-Unsubscribe", "One-Click")
    const parts = await errata.fetch(link, {
      method: "POST",
      body: form,
      headers: { origin: "https://mail.example.com", "sec-fetch-site": "cross-site" },
    })
    expect(parts.status).toBe(200)
  })

  it("removes one address from a target, and disables a target without addresses", async () => {
    const id = await createTarget("ann@example.com, Bo@example.com")
    const target = async () => (await errata.api(`/projects/${errata.mine.id}/targets/${id}`)).json
    const [ann, bo] = [await linkTo("ann@example.com"), await linkTo("Bo@example.com")]
    expect((await errata.fetch(bo)).text).toContain("Bo@example.com")
    expect((await errata.fetch(bo, oneClick)).status).toBe(200)
    expect(await target()).toMatchObject({ enabled: true, address: { to: "ann@example.com" } })
    expect((await errata.fetch(bo, oneClick)).status).toBe(200)
    expect((await errata.fetch(ann, oneClick)).status).toBe(200)
    expect(await target()).toMatchObject({ enabled: false })
    await errata.api(`/projects/${errata.mine.id}/targets/${id}`, { method: "DELETE" })
    const gone = await errata.fetch(ann, oneClick)
    expect([gone.status, gone.text]).toEqual([404, expect.stringContaining("does not work")])
  })

  it("is rejected if another instance created it, or if it was modified", async () => {
    await reset()
    const link = await linkTo("member@example.com")
    const token = link.slice("/unsubscribe/".length)
    const changed = [
      token.slice(0, -2),
      `${token.slice(0, -4)}AAAA`,
      token.replace(/\.[0-9a-f]{8}\./, ".00000000."),
    ]
    const sealed = await errata.run(
      Effect.flatMap(Keyring.Keyring, (keyring) =>
        Keyring.seal(keyring, Redacted.make('{"_tag":"Member","projectId":1,"userId":2}'), "webhook"),
      ),
    )
    for (const wrong of [...changed, sealed, "x", "x".repeat(5_000), "%00", "v1.."]) {
      for (const init of [{}, oneClick]) {
        const answer = await errata.fetch(`/unsubscribe/${wrong}`, init)
        expect([wrong, answer.status]).toEqual([wrong, 404])
        expect(answer.headers.get("referrer-policy")).toBe("no-referrer")
      }
    }
    expect((await errata.fetch("/unsubscribe", oneClick)).status).toBe(404)
    expect((await errata.fetch(`${link}/more`, oneClick)).status).toBe(404)
    for (const method of ["PUT", "DELETE", "PATCH"]) {
      const answer = await errata.fetch(link, { method })
      expect([answer.status, answer.headers.get("allow")]).toEqual([405, "GET, HEAD, POST"])
    }
    expect(await modeOf()).toBe("everything")
  })

  it("limits the size of the body", async () => {
    await reset()
    const link = await linkTo("member@example.com")
    const large = { ...oneClick, body: "x".repeat(200_000) }
    expect((await errata.fetch(link, large)).status).toBe(413)
    expect(await modeOf()).toBe("everything")
  })

  it("is in no log", () => {
    expect(errata.logs.filter((line) => line.includes("unsubscribe/"))).toEqual([])
  })
})

describe("The link that stops mail of an instance below a path", () => {
  it("shows a form that stays below it", async () => {
    const errata = await start({ transport: "web", baseUrl: "https://example.com/errors" })
    const token = await errata.run(
      Effect.flatMap(Keyring.Keyring, (keyring) =>
        Keyring.seal(
          keyring,
          Redacted.make(
            JSON.stringify({ _tag: "Member", projectId: errata.mine.id, userId: errata.memberId }),
          ),
          "unsubscribe",
        ),
      ),
    )
    const browser = new Browser(errata, "https://example.com")
    const page = await browser.visit(`https://example.com/errors/unsubscribe/${token}`)
    expect(page.status).toBe(200)
    const form = formOf(page, `/errors/unsubscribe/${token}`)
    // Without a referrer browsers send forms with this origin.
    expect((await browser.send(form, {}, { origin: "null" })).status).toBe(200)
    const settings = await errata.run(
      Effect.flatMap(MemberMailStore, (store) => store.find(errata.mine.id, UserId.make(errata.memberId))),
    )
    expect(settings).toEqual(Option.some({ mode: "nothing", digest: "never" }))
    await errata.stop()
  })
})
