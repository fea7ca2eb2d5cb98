/** A list while it is open, and after: coming back finds rows, selection and scroll position as they were. */
import type { OwnGroupsPage } from "@errata/api/promise"
import { batch, computed, signal } from "@preact/signals"
import { fetchGroups, type GroupRef, keyOf, type Row, rowOf } from "../../data/groups.js"
import type { ListFilter } from "../../data/listFilter.js"
import { notifyFailure } from "../../data/notices.js"
import { headingOf } from "./Headings.js"
import * as ListState from "./ListState.js"

export class GroupList {
  /** Null before the first response. */
  readonly state = signal<ListState.ListState | null>(null)
  /** Keys of the ticked groups. Actions are about these alone. */
  readonly selected = signal<ReadonlySet<string>>(new Set())
  /** The key of the row that the keyboard is at. */
  readonly current = signal<string | null>(null)
  readonly isLoadingMore = signal(false)
  /** The scroll position when the reader left. */
  scroll = 0
  /** The row that was ticked last, from which a range goes. */
  #anchor: string | null = null

  constructor(readonly filter: ListFilter) {}

  /** The groups that are shown, without those that were merged into others or discarded meanwhile. */
  readonly shown = computed(() =>
    (this.state.value?.shown ?? []).filter((key) => {
      const row = rowAt(key)?.value
      return row?.merged_into === undefined && row?.discarded !== true
    }),
  )

  readonly selectedRows = computed(() =>
    this.shown.value.flatMap((key) => {
      const row = this.selected.value.has(key) ? rowAt(key)?.value : undefined
      return row === undefined ? [] : [row]
    }),
  )

  /** Takes a response for the first page. */
  receive(page: OwnGroupsPage): void {
    const keys = pageOf(page)
    const state = this.state.peek()
    this.state.value = state === null ? ListState.start(keys, this.#headingOf) : ListState.poll(state, keys)
  }

  reveal(): void {
    const state = this.state.peek()
    if (state !== null) this.state.value = ListState.reveal(state, this.#headingOf)
  }

  async loadMore(): Promise<void> {
    const before = this.state.peek()
    if (before === null || before.cursor === null || !before.hasMore || this.isLoadingMore.peek()) return
    this.isLoadingMore.value = true
    try {
      const page = pageOf(await fetchGroups(this.filter, before.cursor))
      const state = this.state.peek()
      if (state !== null) this.state.value = ListState.append(state, page, this.#headingOf)
    } catch (error) {
      notifyFailure("The next page was not loaded.", error)
    } finally {
      this.isLoadingMore.value = false
    }
  }

  /** Moves to a row after or before the current one. */
  move(by: number): void {
    const keys = this.shown.peek()
    const at = keys.indexOf(this.current.peek() ?? "")
    const next = at === -1 ? (by > 0 ? 0 : keys.length - 1) : Math.min(keys.length - 1, Math.max(0, at + by))
    this.current.value = keys[next] ?? null
  }

  /** Makes a group the current row, if the list shows it. */
  comeBackTo(group: GroupRef | null): void {
    if (group !== null && this.shown.peek().includes(keyOf(group))) this.current.value = keyOf(group)
  }

  toggle(key: string): void {
    const selected = new Set(this.selected.peek())
    if (!selected.delete(key)) selected.add(key)
    this.#anchor = key
    this.selected.value = selected
  }

  /** Ticks all rows from the one that was ticked last to this one. */
  extend(key: string): void {
    const keys = this.shown.peek()
    const [from, to] = [keys.indexOf(this.#anchor ?? key), keys.indexOf(key)].sort((a, b) => a - b)
    batch(() => {
      this.selected.value = new Set([...this.selected.peek(), ...keys.slice(from, (to ?? 0) + 1)])
      this.#anchor = key
    })
  }

  /** Ticks the shown groups, or none. */
  selectAll(isSelected: boolean): void {
    this.selected.value = new Set(isSelected ? this.shown.peek() : [])
  }

  /** The groups that an action changes: the ticked ones, or else the current row. */
  targets(): ReadonlyArray<Row> {
    const selected = this.selectedRows.peek()
    if (selected.length > 0) return selected
    const row = this.currentRow()
    return row === undefined ? [] : [row]
  }

  currentRow(): Row | undefined {
    return rowAt(this.current.peek() ?? "")?.peek()
  }

  #headingOf = (key: string): string => {
    const row = rowAt(key)?.peek()
    return row === undefined ? "" : headingOf(row, this.filter.sort, Date.now())
  }
}

/** Returns the list of a filter: the one that was open before, if it is among the last ones. */
export const listOf = (filter: ListFilter): GroupList => {
  const key = JSON.stringify([filter.projectId, filter.query, filter.sort])
  const list = lists.get(key) ?? new GroupList(filter)
  // The one that was used last is the last to be dropped.
  lists.delete(key)
  lists.set(key, list)
  for (const oldest of lists.keys()) {
    if (lists.size <= maxLists) break
    lists.delete(oldest)
  }
  return list
}

/** Returns the signal of a row by its key. */
export const rowAt = (key: string) => {
  const [project_id, id] = key.split("/").map(Number)
  return rowOf({ project_id: project_id ?? 0, id: id ?? 0 })
}

// internal

const maxLists = 8
const lists = new Map<string, GroupList>()

const pageOf = ({ groups, has_more, next_cursor }: OwnGroupsPage): ListState.Page => ({
  keys: groups.map(keyOf),
  cursor: next_cursor,
  hasMore: has_more,
})
