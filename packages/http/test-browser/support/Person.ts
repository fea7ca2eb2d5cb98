/** A user with a browser and a keyboard, without a mouse. */
import { mkdirSync } from "node:fs"
import { AxeBuilder } from "@axe-core/playwright"
import type { Browser, BrowserContextOptions, Locator, Page } from "playwright-core"
import { expect } from "vitest"

const screenshots = new URL("../../../../node_modules/.cache/errata-pages/", import.meta.url).pathname

const mostTabs = 40

export class Person {
  private constructor(
    readonly page: Page,
    readonly look: string,
    /** Errors and warnings in the browser's console. */
    readonly complaints: Array<string>,
  ) {}

  static readonly open = async (browser: Browser, look: string, options: BrowserContextOptions) => {
    mkdirSync(screenshots, { recursive: true })
    const page = await (await browser.newContext(options)).newPage()
    const complaints: Array<string> = []
    page.on("console", (message) => complaints.push(message.text()))
    page.on("pageerror", (error) => complaints.push(error.message))
    return new Person(page, look, complaints)
  }

  /** Presses Tab until the element has a visible focus. */
  async tabTo(wanted: Locator): Promise<void> {
    await wanted.waitFor()
    for (let tabs = 0; tabs < mostTabs; tabs++) {
      await this.page.keyboard.press("Tab")
      if (await wanted.evaluate((element) => element.matches(":focus-visible"))) {
        const outline = await wanted.evaluate(
          (element) => element.ownerDocument.defaultView?.getComputedStyle(element).outlineStyle,
        )
        expect(outline).not.toBe("none")
        return
      }
    }
    throw new Error(`${wanted} cannot be reached in ${mostTabs} steps`)
  }

  async press(name: string): Promise<void> {
    await this.tabTo(this.page.getByRole("button", { name, exact: true }))
    await Promise.all([this.page.waitForEvent("load"), this.page.keyboard.press("Enter")])
  }

  async type(label: string, text: string): Promise<void> {
    await this.tabTo(this.page.getByLabel(label, { exact: true }))
    await this.page.keyboard.press("ControlOrMeta+A")
    await this.page.keyboard.type(text)
  }

  /** Removes an expected console message. */
  forgive(complaint: RegExp): void {
    const others = this.complaints.filter((text) => !complaint.test(text))
    this.complaints.splice(0, Infinity, ...others)
  }

  /** Checks that the page is accessible, fits its window, and causes no console messages. */
  async inspect(heading: string, name: string): Promise<void> {
    await this.page.getByRole("heading", { level: 1 }).first().waitFor()
    expect(await this.page.getByRole("heading", { level: 1 }).allInnerTexts()).toEqual([heading])
    await this.page.screenshot({ path: `${screenshots}${this.look} ${name}.png`, fullPage: true })
    const { violations } = await new AxeBuilder({ page: this.page })
      .options({ resultTypes: ["violations"] })
      // The pages have no frames.
      .setLegacyMode()
      .analyze()
    expect(
      violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)]),
      `${this.look}, ${name}`,
    ).toEqual([])
    const tooWide = await this.page.locator("html").evaluate((root) => root.scrollWidth - root.clientWidth)
    expect([name, tooWide]).toEqual([name, 0])
    expect(this.complaints).toEqual([])
  }
}
