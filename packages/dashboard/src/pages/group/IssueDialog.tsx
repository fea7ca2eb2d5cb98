/** Links a group to an issue of a tracker. */
import { useState } from "preact/hooks"
import { setIssue } from "../../data/group.js"
import { Dialog } from "../../parts/Dialog.js"
import { isWebAddress } from "../../text/SafeText.js"
import type { GroupIds } from "./paths.js"

export const IssueDialog = ({
  ids,
  onClose,
  url,
}: {
  readonly ids: GroupIds
  readonly url: string | null
  readonly onClose: () => void
}) => {
  const [text, setText] = useState(url ?? "")
  const [isBusy, setBusy] = useState(false)
  const isValid = isWebAddress(text.trim()) && text.trim().length <= 2_000
  const save = async (value: string | null) => {
    if (isBusy) return
    setBusy(true)
    if (await setIssue(ids.projectId, ids.groupId, value, url)) onClose()
    else setBusy(false)
  }
  return (
    <Dialog title="Link an issue" onClose={onClose}>
      <form
        class="dialog-form"
        onSubmit={(event) => {
          event.preventDefault()
          if (isValid) void save(text.trim())
        }}
      >
        <label>
          Address of the issue
          <input
            type="text"
            inputMode="url"
            value={text}
            placeholder="https://tracker.example/issues/1"
            aria-invalid={text !== "" && !isValid}
            aria-describedby="issue-hint"
            onInput={({ currentTarget }) => setText(currentTarget.value)}
          />
        </label>
        <p id="issue-hint" class="faint">
          {text !== "" && !isValid
            ? "This is not a web address. Enter one that starts with https:// or http://."
            : "The group shows the link to everybody who sees it."}
        </p>
        <footer>
          {url !== null && (
            <button type="button" aria-disabled={isBusy} onClick={() => save(null)}>
              Remove the link
            </button>
          )}
          <button type="submit" class="primary" disabled={!isValid} aria-disabled={isBusy}>
            Save
          </button>
        </footer>
      </form>
    </Dialog>
  )
}
