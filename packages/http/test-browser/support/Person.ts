/** Somebody with a browser and a keyboard, and no mouse. */
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
    /** What the browser had to complain about. */
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

  /** Goes from one thing to the next until it is the one that is wanted, and can see where that is. */
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

  /** What the browser had to say about an answer that was meant to be as it was. */
  forgive(complaint: RegExp): void {
    const others = this.complaints.filter((text) => !complaint.test(text))
    this.complaints.splice(0, Infinity, ...others)
  }

  /** Looks at the page as it is: whether it is for everybody, fits its window, and gives the browser no cause to complain. */
  async inspect(heading: string, name: string): Promise<void> {
    await this.page.getByRole("heading", { level: 1 }).first().waitFor()
    expect(await this.page.getByRole("heading", { level: 1 }).allInnerTexts()).toEqual([heading])
    await this.page.screenshot({ path: `${screenshots}${this.look} ${name}.png`, fullPage: true })
    const { violations } = await new AxeBuilder({ page: this.page })
      .options({ resultTypes: ["violations"] })
      // There are no frames.
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
