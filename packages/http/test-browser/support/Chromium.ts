/** The system's Chromium, for tests and scripts. Downloads nothing. */
import { existsSync } from "node:fs"
import { type Browser, chromium } from "playwright-core"

/** With each window, the full Chromium also loads pages of its own interface. They take longer than a page under test. */
const paths = ["/usr/bin/chromium-headless-shell", "/usr/bin/chromium"]

/** Launches the browser that `CHROMIUM` names, or else the first of `paths` that is installed. */
export const launch = (): Promise<Browser> => {
  const named = process.env["CHROMIUM"]
  const path = (named === undefined ? paths : [named]).find((each) => existsSync(each))
  if (path === undefined) {
    throw new Error(
      `There is no Chromium at ${named ?? paths.join(" or ")}. Install it (Debian: apt-get install chromium-headless-shell), ` +
        "or name another one in CHROMIUM.",
    )
  }
  // The first start on a busy machine is slow.
  return chromium.launch({ executablePath: path, timeout: 120_000 })
}
