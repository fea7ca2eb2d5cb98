/** A reader of the dashboard, in the system's Chromium. */
import { launch as launchChromium } from "../../packages/http/test-browser/support/Chromium.ts"
import { defer } from "./cleanup.mjs"
import { probe } from "./dashboardProbe.mjs"
import { sleep } from "./errata.mjs"

const VIEWPORT = { width: 1280, height: 800 }
/** Milliseconds without a request after which a page has finished loading. */
const QUIET = 200
/** Share of a core below which the browser is idle. */
const IDLE = 0.1

export const launch = async () => {
  const browser = await launchChromium()
  const close = defer(() => browser.close())
  return { browser, close }
}

/** Signs in with a link. Returns the cookies, which sign in any number of browsers. */
export const signIn = async (browser, link) => {
  const context = await browser.newContext({ viewport: VIEWPORT })
  const page = await context.newPage()
  await page.goto(link)
  await page.getByRole("button", { name: "Sign in" }).press("Enter")
  await page.waitForURL(/\/projects(?:\/\d+\/groups)?$/)
  const state = await context.storageState()
  await context.close()
  return state
}

/** The requests of a page, with their paths, transferred bytes and times in ms since the first one. */
const followTransfers = (cdp) => {
  const sent = new Map()
  const transfers = []
  let startedAt = null
  let changedAt = performance.now()
  const touch = () => {
    changedAt = performance.now()
  }
  cdp.on("Network.requestWillBeSent", ({ requestId, request: { url }, timestamp }) => {
    touch()
    if (!url.startsWith("http")) return
    startedAt ??= timestamp
    sent.set(requestId, { path: new URL(url).pathname, sentAt: (timestamp - startedAt) * 1_000 })
  })
  const done = ({ requestId, encodedDataLength = 0 }) => {
    touch()
    const request = sent.get(requestId)
    if (sent.delete(requestId)) transfers.push({ ...request, bytes: encodedDataLength })
  }
  cdp.on("Network.loadingFinished", done)
  cdp.on("Network.loadingFailed", done)
  return {
    transfers,
    settled: async () => {
      while (sent.size > 0 || performance.now() - changedAt < QUIET) await sleep(20)
    },
  }
}

/**
 * Waits until the browser is idle, at most 20 s. With a new window, a Chromium that is not a headless shell also loads
 * pages of its own interface. They take more processor time than a page of the dashboard.
 */
const idle = async (browser) => {
  const cdp = await browser.newBrowserCDPSession()
  const usedMs = async () => {
    const { processInfo } = await cdp.send("SystemInfo.getProcessInfo")
    return processInfo.reduce((sum, { cpuTime }) => sum + cpuTime * 1_000, 0)
  }
  let used = await usedMs()
  for (let turn = 0; turn < 20_000 / QUIET; turn++) {
    await sleep(QUIET)
    const before = used
    used = await usedMs()
    if (used - before < IDLE * QUIET) break
  }
  await cdp.detach()
}

/** Calls `read` with a page of a browser with an empty cache, whose CPU is slowed down by the factor `slow`. */
export const withReader = async ({ browser, state, slow = 1 }, read) => {
  const context = await browser.newContext({ viewport: VIEWPORT, storageState: state })
  try {
    const page = await context.newPage()
    const cdp = await context.newCDPSession(page)
    await page.addInitScript(probe)
    await cdp.send("Network.enable")
    const { settled, transfers } = followTransfers(cdp)
    // Before the slowdown, which uses processor time itself.
    await idle(browser)
    await cdp.send("Emulation.setCPUThrottlingRate", { rate: slow })
    return await read({ page, cdp, settled, transfers, ...actionsOf(page, settled) })
  } finally {
    await context.close()
  }
}

const actionsOf = (page, settled) => ({
  /** Loads an address and waits until the page has finished loading. Returns the paint time of the named part in ms. */
  open: async (url, name) => {
    await page.goto(url)
    const ms = await page.evaluate((name) => globalThis.bench.first(name), name)
    await settled()
    return ms
  },
  shifted: () => page.evaluate(() => globalThis.bench.shifted()),
  /** Time from a key to the paint of the page that it opens, in ms. */
  follow: async (key, name) => {
    await page.evaluate((name) => globalThis.bench.expect(name), name)
    await page.keyboard.press(key)
    return page.evaluate(() => globalThis.bench.sinceKey())
  },
  /** Time from a key or click to the next paint, in ms. */
  answerTo: async (act) => {
    await page.evaluate(() => globalThis.bench.forget())
    await act()
    return page.evaluate(() => globalThis.bench.answered())
  },
})
