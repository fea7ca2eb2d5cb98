/** Loads the code of a group's page. */
export const loadGroupPage = () => import("./GroupPage.js")

/** Loads the code once the browser has nothing else to do. If that fails, opening a group loads it again. */
export const loadGroupPageAhead = (): void => {
  globalThis.requestIdleCallback?.(() => void loadGroupPage().catch(() => {}))
}
