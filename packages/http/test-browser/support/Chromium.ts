/** The Chromium of the system. */
import { existsSync } from "node:fs"
import { type Browser, chromium } from "playwright-core"

const path = process.env["CHROMIUM"] ?? "/usr/bin/chromium"

/** It is told from here: nothing is downloaded. */
export const launch = (): Promise<Browser> => {
  if (!existsSync(path)) {
    throw new Error(
      `There is no Chromium at ${path}. Install it (Debian: apt-get install chromium), or name another one in CHROMIUM.`,
    )
  }
  return chromium.launch({ executablePath: path })
}
