// Opens the built site (docs/dist) in Chromium. It fails if a page reports an error, is wider than the window or has no
// next step, or if the search does not find a page.
// Usage: node scripts/try-site.mjs [--screenshots FOLDER], after `npm run docs`. CHROMIUM names another browser.
import { existsSync, mkdirSync, readFileSync } from "node:fs"
import { createServer } from "node:http"
import { extname, join } from "node:path"
import { launch } from "../packages/http/test-browser/support/Chromium.ts"
import { documents, root } from "./documents.mjs"

const dist = join(root, "docs/dist")
const [option, folder] = process.argv.slice(2)
const screenshots = option === "--screenshots" ? folder : null
if (screenshots !== null) mkdirSync(screenshots, { recursive: true })

const types = { ".css": "text/css", ".html": "text/html", ".js": "text/javascript", ".svg": "image/svg+xml" }
const server = createServer(({ url }, response) => {
  const { pathname } = new URL(url, "http://localhost")
  const path = join(dist, pathname.endsWith("/") ? `${pathname}index.html` : pathname)
  const file = [path, `${path}.html`].find((each) => extname(each) !== "" && existsSync(each))
  if (file === undefined) return response.writeHead(404).end()
  response.writeHead(200, { "content-type": types[extname(file)] ?? "application/octet-stream" })
  response.end(readFileSync(file))
})
await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve))
const origin = `http://127.0.0.1:${server.address().port}`

const browser = await launch()
const problems = []

/** Opens a page and records the browser's errors. */
const open = async (width, height, colorScheme) => {
  const context = await browser.newContext({ colorScheme, viewport: { width, height } })
  const page = await context.newPage()
  const complain = (text) => problems.push(`${new URL(page.url()).pathname}: ${text}`)
  page.on("pageerror", ({ message }) => complain(message))
  page.on("console", (message) => message.type() === "error" && complain(message.text()))
  return page
}

/** Opens a path and waits for its drawings. */
const visit = async (page, path) => {
  await page.goto(origin + path, { waitUntil: "networkidle" })
  await page.waitForFunction(() => document.querySelector("pre.drawing") === null)
}

const shoot = (page, name, options) =>
  screenshots === null ? null : page.screenshot({ path: join(screenshots, `${name}.png`), ...options })

const paths = documents()
  .map(({ path }) => path)
  .filter((path) => path.startsWith("docs/"))
  .map((path) => path.replace(/^docs(.*)\.md$/, "$1").replace(/\/index$/, "/"))

const phone = await open(390, 844, "light")
for (const path of paths) {
  await visit(phone, path)
  const { hasNext, width } = await phone.evaluate(() => ({
    hasNext: document.querySelector(".pager-link.next, .VPHero .action") !== null,
    width: document.documentElement.scrollWidth,
  }))
  if (width > 390) problems.push(`${path}: ${width} pixels wide in a window of 390`)
  if (!hasNext) problems.push(`${path}: no link to a next page`)
  if (["/", "/configuration", "/getting-started"].includes(path))
    await shoot(phone, `phone${path.replace("/", "-")}`)
}

for (const colorScheme of ["light", "dark"]) {
  const desk = await open(1280, 900, colorScheme)
  for (const path of [
    "/",
    "/getting-started",
    "/configuration",
    "/architecture",
    "/decisions/019-webhooks",
  ]) {
    await visit(desk, path)
    await shoot(desk, `${colorScheme}${path.replaceAll("/", "-")}`)
  }
  await desk.keyboard.press("Control+k")
  await desk.getByRole("searchbox").fill("rate limit")
  const first = desk.locator(".VPLocalSearchBox .result").first()
  await first.waitFor()
  await shoot(desk, `${colorScheme}-search`)
  await first.click()
  await desk.waitForURL((url) => url.pathname !== "/decisions/019-webhooks")
}

await browser.close()
server.close()
for (const problem of problems) console.error(problem)
if (problems.length > 0) process.exit(1)
console.log(
  `${paths.length} pages of the site open without an error, fit a phone, and lead on; the search finds pages.`,
)
