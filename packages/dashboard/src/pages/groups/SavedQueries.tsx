/** Saved queries: a menu that applies them, and a dialog that saves, renames and deletes them. */
import { signal } from "@preact/signals"
import { useEffect, useId, useRef, useState } from "preact/hooks"
import type { Sort } from "../../data/listFilter.js"
import { notify } from "../../data/notices.js"
import {
  deleteQuery,
  maxNameLength,
  renameQuery,
  type SavedQuery,
  savedQueries,
  saveQuery,
} from "../../data/savedQueries.js"
import { Dialog } from "../../parts/Dialog.js"
import { Menu } from "../../parts/Menu.js"
import "../../styles/saved.css"

export const savedMenuId = "saved-queries"

const isOpen = signal(false)

export const openSaved = (): void => {
  isOpen.value = true
}

interface Props {
  /** The query and order of the list. */
  readonly query: string
  readonly sort: Sort
}

export const SavedMenu = ({
  query,
  sort,
  onApply,
}: Props & { readonly onApply: (saved: SavedQuery) => void }) => (
  <Menu id={savedMenuId} name="Saved queries" label="Saved ▾" align="end">
    {savedQueries.value.map((saved) => (
      <button
        key={saved.name}
        type="button"
        aria-current={saved.query === query && saved.sort === sort ? "true" : undefined}
        title={saved.query}
        onClick={() => onApply(saved)}
      >
        {saved.name}
      </button>
    ))}
    <button type="button" class="saved-more" onClick={openSaved}>
      {savedQueries.value.length === 0 ? "Save this query…" : "Save or change…"} <kbd>s</kbd>
    </button>
  </Menu>
)

export const SavedDialog = (props: Props) =>
  isOpen.value && (
    <Dialog title="Saved queries" class="saved" onClose={() => (isOpen.value = false)}>
      <Content {...props} />
    </Dialog>
  )

// internal

const Content = ({ query, sort }: Props) => {
  const field = useRef<HTMLInputElement>(null)
  const [name, setName] = useState("")
  const [problem, tell] = useState<string | null>(null)
  const id = useId()
  useEffect(() => field.current?.focus(), [])
  const save = () => {
    const failure = saveQuery({ name, query, sort })
    tell(failure)
    if (failure !== null) return
    isOpen.value = false
    notify(`Saved the query “${name.trim()}”.`)
  }
  const remove = (saved: SavedQuery) => {
    tell(deleteQuery(saved.name))
    notify(`Deleted the query “${saved.name}”.`, async () => void saveQuery(saved))
    field.current?.focus()
  }
  return (
    <>
      <form
        class="saved-new"
        onSubmit={(event) => {
          event.preventDefault()
          save()
        }}
      >
        <label for={id}>Save the query of the list as</label>
        <QueryLine query={query} />
        <input
          ref={field}
          id={id}
          type="text"
          autocomplete="off"
          maxLength={maxNameLength}
          value={name}
          onInput={({ currentTarget }) => setName(currentTarget.value)}
        />
        <button type="submit" class="primary" disabled={name.trim() === ""}>
          Save
        </button>
      </form>
      <p role="alert">{problem}</p>
      {savedQueries.value.length > 0 && (
        <ul class="saved-list">
          {savedQueries.value.map((saved) => (
            <SavedItem key={saved.name} saved={saved} tell={tell} onDelete={() => remove(saved)} />
          ))}
        </ul>
      )}
      <p class="faint">
        Only this browser has them.
        {savedQueries.value.length > 0 && " To rename a query, edit its name and press Enter."}
      </p>
    </>
  )
}

/** Its name is a field. Enter, or leaving the field, renames the query. */
const SavedItem = ({
  saved,
  tell,
  onDelete,
}: {
  readonly saved: SavedQuery
  readonly tell: (problem: string | null) => void
  readonly onDelete: () => void
}) => {
  const rename = (field: HTMLInputElement) => {
    const failure = renameQuery(saved.name, field.value)
    tell(failure)
    if (failure !== null) field.value = saved.name
  }
  return (
    <li>
      <input
        type="text"
        autocomplete="off"
        aria-label={`Name of ${saved.name}`}
        maxLength={maxNameLength}
        defaultValue={saved.name}
        onBlur={({ currentTarget }) => rename(currentTarget)}
        onKeyDown={(event) => {
          if (event.key === "Enter") rename(event.currentTarget)
        }}
      />
      <button type="button" aria-label={`Delete ${saved.name}`} onClick={onDelete}>
        Delete
      </button>
      <QueryLine query={saved.query} />
    </li>
  )
}

const QueryLine = ({ query }: { readonly query: string }) => (
  <code class="saved-query">{query === "" ? "all groups" : query}</code>
)
