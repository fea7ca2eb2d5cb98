/** Messages at the edge of the page, and changes that the reader can still undo. */
import { signal } from "@preact/signals"
import { describe } from "./failure.js"

export interface Notice {
  readonly id: number
  readonly text: string
  readonly isFailure: boolean
  /** Undoes the change of the notice. Absent if it cannot be undone. */
  readonly undo?: () => Promise<void>
}

/** The newest last. */
export const notices = signal<ReadonlyArray<Notice>>([])

/** Time limit for undoing a change. */
export const undoMillis = 10_000

/** Shows a message for ten seconds. */
export const notify = (text: string, undo?: () => Promise<void>): number =>
  add({ text, isFailure: false, undo })

/** Shows a failure, with its cause if there is one, until the reader closes it. */
export const notifyFailure = (text: string, error?: unknown): number =>
  add({
    text: error === undefined ? text : `${text} ${describe(error)}`,
    isFailure: true,
    undo: undefined,
  })

export const dismiss = (id: number): void => {
  notices.value = notices.value.filter((notice) => notice.id !== id)
}

/** Undoes a notice's change, or that of the newest notice that has one. */
export const undo = async (id?: number): Promise<void> => {
  const notice = notices.value.findLast((notice) =>
    id === undefined ? notice.undo !== undefined : notice.id === id,
  )
  if (notice?.undo === undefined) return
  // First, so that it cannot be undone twice.
  dismiss(notice.id)
  try {
    await notice.undo()
    notify("Undone.")
  } catch (error) {
    notifyFailure("The change was not undone.", error)
  }
}

// internal

/** Older ones leave when there are more. */
const maxNotices = 4

let lastId = 0
const add = ({
  undo,
  ...notice
}: Pick<Notice, "text" | "isFailure"> & { readonly undo: (() => Promise<void>) | undefined }): number => {
  const id = ++lastId
  notices.value = [...notices.value, { ...notice, id, ...(undo === undefined ? {} : { undo }) }].slice(
    -maxNotices,
  )
  if (!notice.isFailure) setTimeout(() => dismiss(id), undoMillis)
  return id
}
