/** Changes by keys alone, in settings, lists and reports. The focus is never lost. */
import type { Browser } from "playwright-core"
import { afterAll, beforeAll, it } from "vitest"
import { launch } from "../../http/test-browser/support/Chromium.js"
import { alertFlows } from "./support/AlertFlows.js"
import { type Furnished, furnish } from "./support/Furnished.js"
import { instanceFlows } from "./support/InstanceFlows.js"
import { projectFlows } from "./support/ProjectFlows.js"
import { Reader, type Session } from "./support/Reader.js"
import { readingFlows } from "./support/ReadingFlows.js"

let browser: Browser
let furnished: Furnished
let session: Session
beforeAll(async () => {
  browser = await launch()
  furnished = await furnish()
  session = await Reader.signedIn(browser, (await furnished.site.invite("admin")).link)
})
afterAll(async () => {
  await browser?.close()
  await furnished?.stop()
})

it.each([...readingFlows, ...instanceFlows, ...alertFlows, ...projectFlows])(
  "$name only with keys",
  ({ path, run }) =>
    Reader.visit(browser, session, async (reader) => {
      const { project, silent, site } = furnished
      const own = path.replace(":project", String(project.id)).replace(":silent", String(silent.id))
      await reader.open(site.url + own)
      await run(reader, furnished)
    }),
)
