/** Path of the system's Chromium. */
import { existsSync } from "node:fs"
import { type Browser, chromium } from "playwright-core"

const path = process.env["CHROMIUM"] ?? "/usr/bin/chromium"

/** Launches the system's Chromium. Downloads nothing. */
export const launch = (): Promise<Browser> => {
  if (!existsSync(path)) {
    throw new Error(
      `There is no Chromium at ${path}. Install it (Debian: apt-get install chromium), or name another one in CHROMIUM.`,
    )
  }
  // The first start on a busy machine is slow.
  return chromium.launch({ executablePath: path, timeout: 120_000 })
}
