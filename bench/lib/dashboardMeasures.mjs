/** The measures of the dashboard in a browser. Each measure adds its samples to `into`, by name. */
import { LARGE } from "./dashboardEvents.mjs"
import { listKeys, pressAll, reportKeys } from "./dashboardKeys.mjs"
import { withReader } from "./dashboardReader.mjs"
import { progress } from "./report.mjs"

export const SLOW = 4
/** Half of them open a report, half go back. */
const NAVIGATIONS = 200
const MB = 1_000_000

const add = (into, name, value) => {
  into[name] ??= []
  into[name].push(value)
}

/** Loads a page in a browser with an empty cache. */
const load = (site, slow, name, address, then) =>
  withReader({ ...site, slow }, async (reader) => {
    await then(await reader.open(site.base + address, name), reader)
  })

/** Code that is loaded ahead, after the list at `ms`, is not a part of the first load. */
const addTransfers = (into, transfers, ms) => {
  const isApi = ({ path }) => /\/(?:api|session)\//.test(path)
  const bytes = (some) => some.reduce((sum, transfer) => sum + transfer.bytes, 0) / 1_000
  add(into, "first list: requests", transfers.length)
  add(into, "first list: KB", bytes(transfers))
  add(
    into,
    "first list: KB of page, scripts, styles",
    bytes(transfers.filter((each) => !isApi(each) && each.sentAt < ms)),
  )
}

const coldLoads = async (site, into) => {
  for (let run = 0; run < site.runs; run++) {
    await load(site, 1, "list", site.list, async (ms, { shifted, transfers }) => {
      add(into, "list, cold", ms)
      add(into, "layout shift, list", await shifted())
      addTransfers(into, transfers, ms)
    })
    await load(site, SLOW, "list", site.list, async (ms, { shifted }) => {
      add(into, "list, cold, slowed", ms)
      add(into, "layout shift, list", await shifted())
    })
    await load(site, 1, "report", site.report, async (ms, { shifted }) => {
      add(into, "report, cold", ms)
      add(into, "layout shift, report", await shifted())
    })
  }
}

/** Opens each group in a list of 100 and goes back. */
const walk = (site, into) =>
  withReader(site, async ({ cdp, follow, open, page, settled }) => {
    await open(site.base + site.list, "list")
    const more = page.getByRole("button", { name: /^Show more/ })
    while ((await page.locator("li.row").count()) < NAVIGATIONS / 2 && (await more.isVisible())) {
      await more.click()
      await settled()
    }
    for (let turn = 0; turn < NAVIGATIONS / 2; turn++) {
      await page.keyboard.press("j")
      // The first one loads the page's code.
      add(into, turn === 0 ? "first report of a visit" : "list to report", await follow("Enter", "report"))
      await settled()
      add(into, "report to list", await follow("u", "list"))
      await settled()
    }
    await cdp.send("HeapProfiler.collectGarbage")
    await cdp.send("HeapProfiler.collectGarbage")
    const { usedSize } = await cdp.send("Runtime.getHeapUsage")
    add(into, `MB of heap after ${NAVIGATIONS} navigations`, usedSize / MB)
  })

const keys = async (site, into) => {
  for (const [name, steps] of [
    ["list", listKeys],
    ["report", reportKeys],
  ]) {
    await withReader({ ...site, slow: SLOW }, async (reader) => {
      await reader.open(site.base + site[name], name)
      for (const [kind, samples] of Object.entries(await pressAll(reader, steps))) {
        into[`slowed: ${kind}`] = samples
      }
    })
  }
}

const largeReports = (site, into) =>
  withReader(site, async ({ follow, open, page, settled }) => {
    await open(`${site.base}${site.list}?query=error_type:${LARGE}`, "list")
    for (let turn = 0; turn <= site.runs; turn++) {
      await page.keyboard.press("j")
      const ms = await follow("Enter", "report")
      // The first one loads the page's code.
      if (turn > 0) add(into, "large report", ms)
      await settled()
      await follow("u", "list")
      await settled()
    }
  })

/**
 * Returns the samples of every measure by its name.
 *
 * @param site `browser`, the `state` that signs in, `base` address, paths of `list` and `report`, number of `runs`
 */
export const measureAll = async (site) => {
  const into = {}
  for (const [name, measure] of Object.entries({ coldLoads, walk, keys, largeReports })) {
    progress(name)
    await measure(site, into)
  }
  return into
}
