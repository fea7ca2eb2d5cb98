/**
 * Runs in a page before its scripts, and is sent there as text: it uses nothing from outside. `bench` in the page then reports
 * when something was painted, how long keys and clicks took to the next paint, and how far the layout has shifted.
 */
export const probe = () => {
  const follow = (type, options = {}) => {
    const entries = []
    const observer = new PerformanceObserver((list) => entries.push(...list.getEntries()))
    observer.observe({ type, buffered: true, ...options })
    return { entries, read: () => entries.push(...observer.takeRecords()) }
  }
  const shifts = follow("layout-shift")
  // The smallest threshold that there is: an interaction without an entry took less.
  const floor = 16
  const events = follow("event", { durationThreshold: floor })

  let inputAt = 0
  const note = ({ timeStamp }) => {
    inputAt = timeStamp
  }
  addEventListener("keydown", note, { capture: true })

  const painted = () =>
    new Promise((resolve) => requestAnimationFrame(() => setTimeout(() => resolve(performance.now()))))

  /** Entries come some time after the paint that they are about. */
  const reported = async () => {
    await painted()
    await painted()
    await new Promise((resolve) => setTimeout(resolve, 50))
    events.read()
  }

  const conditions = {
    list: () => document.querySelector("li.row") !== null,
    report: () => document.querySelector("#stack-title") !== null,
  }
  /** When the page first had it and was painted, in ms since the navigation. */
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
      if (!look()) observer.observe(document, { childList: true, subtree: true })
    })

  const first = { list: paintOf("list"), report: paintOf("report") }
  // A page has one of them. Only a caller that waits for the other needs the error.
  for (const paint of Object.values(first)) paint.catch(() => {})
  let next = null

  globalThis.bench = {
    first: (name) => first[name],
    /** From now on the page is watched for it; `sinceKey` then waits for it. */
    expect: (name) => {
      next = paintOf(name)
    },
    sinceKey: async () => (await next) - inputAt,
    /** Takes no account of keys and clicks so far. */
    forget: async () => {
      await reported()
      events.entries.length = 0
    },
    /** How long the last key or click took to the next paint. */
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
