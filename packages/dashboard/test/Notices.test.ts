import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import { dismiss, notices, notify, notifyFailure, undo, undoMillis } from "../src/data/notices.js"

const texts = () => notices.value.map(({ text }) => text)

beforeEach(() => {
  vi.useFakeTimers()
  notices.value = []
})
afterEach(() => {
  vi.useRealTimers()
})

describe("notices", () => {
  it("disappear when the change can no longer be undone", () => {
    notify("Resolved 1 group.")
    vi.advanceTimersByTime(undoMillis - 1)
    expect(texts()).toEqual(["Resolved 1 group."])
    vi.advanceTimersByTime(1)
    expect(texts()).toEqual([])
  })

  it("of a failure stay until the reader closes them", () => {
    const id = notifyFailure("The groups were not merged.", new Error("Group 7 is gone"))
    vi.advanceTimersByTime(undoMillis * 10)
    expect(texts()).toEqual(["The groups were not merged. Group 7 is gone."])
    dismiss(id)
    expect(texts()).toEqual([])
  })

  it("undo the newest change first, and each once", async () => {
    const undone: Array<string> = []
    notify("first", async () => void undone.push("first"))
    notify("second", async () => void undone.push("second"))
    notify("no way back")
    await undo()
    await undo()
    await undo()
    expect(undone).toEqual(["second", "first"])
  })

  it("say when a change was not undone", async () => {
    notify("Merged 1 group.", () => Promise.reject(new Error("The target was merged itself")))
    await undo()
    expect(texts()).toEqual(["The change was not undone. The target was merged itself."])
  })

  it("are never more than four", () => {
    for (const text of "abcdef") notify(text)
    expect(texts()).toEqual([..."cdef"])
  })
})
