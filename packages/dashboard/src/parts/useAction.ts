import { useState } from "preact/hooks"
import { notifyFailure } from "../data/notices.js"

/** Runs a change of the reader, one at a time. `failure` is the sentence that is shown before the cause. */
export const useAction = (failure: string) => {
  const [isBusy, setBusy] = useState(false)
  /** Returns false if the change failed, or another one is still running. */
  const run = async (change: () => Promise<void>): Promise<boolean> => {
    if (isBusy) return false
    setBusy(true)
    try {
      await change()
      return true
    } catch (error) {
      notifyFailure(failure, error)
      return false
    } finally {
      setBusy(false)
    }
  }
  return { isBusy, run }
}
