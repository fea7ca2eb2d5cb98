// Takes the screenshots of the dashboard in docs/images from the demo, in light and dark.
// Usage: node scripts/dashboard-images.mjs, after `npm run build`. Needs Chromium.
import { spawn } from "node:child_process"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { launch } from "../packages/http/test-browser/support/Chromium.ts"
import { root } from "./documents.mjs"

const demo = spawn(process.execPath, [join(root, "examples/demo/demo.mjs")], {
  stdio: ["ignore", "pipe", "inherit"],
})
let link
for await (const line of createInterface({ input: demo.stdout })) {
  link ??= /https?:\S+sign_in\S+/.exec(line)?.[0]
  if (line.startsWith("Press Ctrl+C")) break
}

const browser = await launch()
try {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } })
  const page = await context.newPage()
  await page.goto(link)
  await page.getByRole("button").click()
  await page.waitForURL(/\/projects/)
  const home = new URL(".", page.url().replace(/\/projects.*/, "/projects"))
  for (const colorScheme of ["light", "dark"]) {
    await page.emulateMedia({ colorScheme })
    await page.goto(new URL("projects/1/groups?span=7d", home).href)
    await page.getByText("ConnectionError").first().waitFor()
    await page.waitForLoadState("networkidle")
    await page.screenshot({ path: join(root, `docs/images/dashboard-${colorScheme}.png`) })
    await page.getByText("PaymentError").first().click()
    await page.locator(".code-keyword").first().waitFor()
    await page.waitForLoadState("networkidle")
    await page.screenshot({ path: join(root, `docs/images/report-${colorScheme}.png`) })
  }
} finally {
  await browser.close()
  demo.kill("SIGINT")
}
