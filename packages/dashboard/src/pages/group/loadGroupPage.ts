/** Loads the code of a group's page. */
export const loadGroupPage = () => import("./GroupPage.js")

/** True while code is loading that no page needs yet. */
export let isLoadingAhead = false

/** Loads the code once the browser has nothing else to do. If that fails, opening a group loads it again. */
export const loadGroupPageAhead = (): void => {
  globalThis.requestIdleCallback?.(async () => {
    isLoadingAhead = true
    await loadGroupPage().catch(() => {})
    isLoadingAhead = false
  })
}
