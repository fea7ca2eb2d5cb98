/** A reader of the dashboard. Each complaint of the browser fails the test. */
import { AxeBuilder } from "@axe-core/playwright"
import type { Browser, BrowserContextOptions, Locator, Page, Request } from "playwright-core"
import { expect, vi } from "vitest"

export const desk = { width: 1280, height: 800 }
export const phone = { width: 320, height: 640 }

/** Options for a visit of a signed-in user. */
export type Session = Pick<BrowserContextOptions, "storageState">

/** Also works in hooks, unlike `expect.poll`. */
export const eventually = (check: () => unknown): Promise<unknown> => vi.waitFor(check, { timeout: 30_000 })

const mostTabs = 150

export class Reader {
  /** Pending requests. */
  private readonly pending = new Set<Request>()

  private constructor(
    readonly page: Page,
    /** Errors and warnings of the browser. */
    readonly complaints: Array<string>,
    /** The addresses of all requests, without those for data in the page itself. */
    readonly requests: Array<string>,
  ) {}

  /** Opens a browser for a test, and closes it after. The test fails if a page gave cause to complain. */
  static readonly visit = async (
    browser: Browser,
    options: BrowserContextOptions,
    read: (reader: Reader) => Promise<void>,
  ): Promise<void> => {
    const context = await browser.newContext({ viewport: desk, reducedMotion: "reduce", ...options })
    try {
      const reader = new Reader(await context.newPage(), [], [])
      await reader.listen()
      await read(reader)
      expect(reader.complaints).toEqual([])
    } finally {
      await context.close()
    }
  }

  /** Signs in once for several visits. */
  static readonly signedIn = async (browser: Browser, link: string): Promise<Session> => {
    const session: Session = {}
    await Reader.visit(browser, {}, async (reader) => {
      await reader.signIn(link)
      session.storageState = await reader.page.context().storageState()
    })
    return session
  }

  /** Signs in with a link, and waits for the first page. */
  async signIn(link: string): Promise<void> {
    await this.page.goto(link)
    await this.page.getByRole("button", { name: "Sign in" }).press("Enter")
    await this.page.waitForURL(/\/projects(?:\/\d+\/groups)?$/)
    await this.settled()
  }

  async open(url: string): Promise<void> {
    await this.page.goto(url)
    await this.settled()
  }

  /** Waits until the requests of the page are complete. */
  async settled(): Promise<void> {
    await this.page.locator("main:not([hidden]) h1").waitFor({ state: "attached" })
    await eventually(async () => expect(await this.page.locator(".skeleton").count()).toBe(0))
    await this.page.waitForLoadState("networkidle")
    await eventually(() => expect(this.pending.size).toBe(0))
  }

  async press(...keys: ReadonlyArray<string>): Promise<void> {
    for (const key of keys) await this.page.keyboard.press(key)
  }

  /** Presses Tab until the element has the focus. */
  async tabTo(wanted: Locator): Promise<void> {
    await wanted.waitFor()
    for (let tabs = 0; tabs < mostTabs; tabs++) {
      if (await wanted.evaluate((element) => element.matches(":focus-visible"))) return
      await this.page.keyboard.press("Tab")
    }
    throw new Error(`${wanted} cannot be reached in ${mostTabs} steps`)
  }

  /** Moves the focus to an element by Tab, and presses a key. */
  async use(wanted: Locator, key = "Enter"): Promise<void> {
    await this.tabTo(wanted)
    await this.press(key)
  }

  /** Goes to a field by Tab, and types over its text. */
  async fill(field: Locator, text: string): Promise<void> {
    await this.tabTo(field)
    await this.press("ControlOrMeta+a")
    await this.page.keyboard.type(text)
  }

  /** Types into a field that has the focus without a step of the reader. */
  async type(field: Locator, text: string): Promise<void> {
    await eventually(async () =>
      expect(await field.evaluate((element) => element.matches(":focus"))).toBe(true),
    )
    await this.page.keyboard.type(text)
  }

  /** Opens a menu and chooses one of its entries. */
  async choose(menu: Locator, entry: Locator): Promise<void> {
    await this.use(menu)
    await entry.waitFor()
    for (let steps = 0; steps < mostTabs; steps++) {
      if (await entry.evaluate((element) => element.matches(":focus"))) return this.press("Enter")
      await this.press("ArrowDown")
    }
    throw new Error(`${entry} cannot be reached in the menu`)
  }

  /** Waits for a message, and expects that the action before did not lose the focus. */
  async expectNotice(text: string | RegExp): Promise<void> {
    await this.page.locator(".notice", { hasText: text }).last().waitFor()
    await this.expectFocusKept(`after ${text}`)
  }

  /** Something has the focus. */
  async expectFocusKept(message = "focus"): Promise<void> {
    await expect
      .poll(() => this.page.evaluate(() => document.activeElement?.tagName), { message })
      .not.toBe("BODY")
  }

  /** Removes console messages about an expected failure. */
  forgive(complaint: RegExp): void {
    const others = this.complaints.filter((text) => !complaint.test(text))
    this.complaints.splice(0, Infinity, ...others)
  }

  /**
   * Checks that the page is accessible and fits its window, on a phone and on a desktop, in dark and light mode. `part` is
   * the selector of the part that is checked. Default: the whole page.
   */
  async inspect(name: string, part?: string): Promise<void> {
    for (const [device, viewport] of Object.entries({ phone, desk })) {
      await this.page.setViewportSize(viewport)
      for (const colorScheme of ["dark", "light"] as const) {
        await this.page.emulateMedia({ colorScheme })
        await this.expectAccessible(`${name} on a ${device}, ${colorScheme}`, colorScheme, part)
      }
      await this.expectNoOverflow(`${name} on a ${device}`)
    }
  }

  /** By the rules of WCAG 2.2 AA. The color schemes differ in their colors alone. */
  private async expectAccessible(
    name: string,
    colorScheme: "light" | "dark",
    part: string | undefined,
  ): Promise<void> {
    // The page may still have it. Sending it takes longer than running it.
    const isThere = await this.page.evaluate(() => "axe" in globalThis)
    const axe = new AxeBuilder({ page: this.page, ...(isThere ? { axeSource: ";" } : {}) })
      .options({ resultTypes: ["violations"] })
      // There are no frames.
      .setLegacyMode()
    if (part !== undefined) axe.include(part)
    const { violations } = await (colorScheme === "dark"
      ? axe.withRules(["color-contrast"])
      : axe.withTags(["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"])
    ).analyze()
    expect(
      violations.map(({ id, nodes }) => [
        id,
        nodes.map(({ failureSummary, html }) => [html, failureSummary]),
      ]),
      name,
    ).toEqual([])
  }

  async expectNoOverflow(name: string): Promise<void> {
    const tooWide = await this.page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
    expect([name, Math.max(0, tooWide)]).toEqual([name, 0])
  }

  // internal

  private async listen(): Promise<void> {
    const { complaints, page, pending, requests } = this
    page.on("request", (request) => pending.add(request))
    page.on("requestfinished", (request) => pending.delete(request))
    page.on("requestfailed", (request) => pending.delete(request))
    page.on("console", (message) => {
      if (["error", "warning"].includes(message.type()))
        complaints.push(`${message.text()} ${message.location().url}`)
    })
    page.on("pageerror", (error) => complaints.push(error.message))
    page.on("dialog", (dialog) => {
      complaints.push(`dialog: ${dialog.message()}`)
      void dialog.dismiss()
    })
    page.on("request", (request) => {
      const url = new URL(request.url())
      if (!/^https?:$/.test(url.protocol)) return
      requests.push(url.pathname)
      const own = page.url()
      if (own.startsWith("http") && url.origin !== new URL(own).origin) complaints.push(`asked ${url.origin}`)
    })
    // Before any script of the page.
    await page.addInitScript(() => {
      addEventListener("securitypolicyviolation", ({ blockedURI, violatedDirective }) =>
        reportError(new Error(`policy: ${violatedDirective} ${blockedURI}`)),
      )
      addEventListener("unhandledrejection", ({ reason }) => reportError(new Error(`unhandled: ${reason}`)))
    })
  }
}
