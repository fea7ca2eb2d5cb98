/**
 * Runs in a page before its scripts. It is sent there as text, so it must not use anything from outside. `bench` in the
 * page reports paint times, the time from keys and clicks to the next paint, and layout shifts.
 */
export const probe = () => {
  const follow = (type, options = {}) => {
    const entries = []
    const observer = new PerformanceObserver((list) => entries.push(...list.getEntries()))
    observer.observe({ type, buffered: true, ...options })
    return { entries, read: () => entries.push(...observer.takeRecords()) }
  }
  const shifts = follow("layout-shift")
  // The smallest threshold that browsers allow. An interaction without an entry took less.
  const floor = 16
  const events = follow("event", { durationThreshold: floor })

  let inputAt = 0
  const note = ({ timeStamp }) => {
    inputAt = timeStamp
  }
  addEventListener("keydown", note, { capture: true })

  const painted = () =>
    new Promise((resolve) => requestAnimationFrame(() => setTimeout(() => resolve(performance.now()))))

  /** Entries are delivered some time after their paint. */
  const reported = async () => {
    await painted()
    await painted()
    await new Promise((resolve) => setTimeout(resolve, 50))
    events.read()
  }

  const conditions = {
    // A list stays in the document, hidden, behind its reports.
    list: () => document.querySelector("main:not([hidden]) li.row") !== null,
    report: () => document.querySelector("#stack-title") !== null,
  }
  /** Time of the first paint with this content, in ms since the navigation. */
  const paintOf = (name) =>
    new Promise((resolve, reject) => {
      setTimeout(() => reject(new Error(`No ${name} within 30 s at ${location.href}`)), 30_000)
      const look = () => {
        if (!conditions[name]()) return false
        observer.disconnect()
        painted().then(resolve)
        return true
      }
      const observer = new MutationObserver(look)
      if (!look()) observer.observe(document, { attributeFilter: ["hidden"], childList: true, subtree: true })
    })

  const first = { list: paintOf("list"), report: paintOf("report") }
  // A page has only one of them. Only a caller that waits for the other one needs the error.
  for (const paint of Object.values(first)) paint.catch(() => {})
  let next = null

  globalThis.bench = {
    first: (name) => first[name],
    /** Starts waiting for this content; `sinceKey` resolves when it is painted. */
    expect: (name) => {
      next = paintOf(name)
    },
    sinceKey: async () => (await next) - inputAt,
    /** Discards the keys and clicks so far. */
    forget: async () => {
      await reported()
      events.entries.length = 0
    },
    /** Time from the last key or click to the next paint. */
    answered: async () => {
      await reported()
      return Math.max(floor, ...events.entries.map(({ duration }) => duration))
    },
    shifted: () => {
      shifts.read()
      return shifts.entries.reduce((sum, { value, hadRecentInput }) => sum + (hadRecentInput ? 0 : value), 0)
    },
  }
}
