import { dismiss, notices, undo } from "../data/notices.js"
import "../styles/notices.css"

/** Notices about changes. Screen readers announce them. */
export const Notices = () => (
  <div class="notices">
    <div role="status" aria-live="polite">
      {notices.value.map(({ id, isFailure, text, undo: canUndo }) => (
        <div key={id} class={isFailure ? "notice failed" : "notice"}>
          <span>{text}</span>
          {canUndo !== undefined && (
            <button type="button" onClick={() => undo(id)}>
              Undo <kbd>z</kbd>
            </button>
          )}
          <button type="button" class="quiet" aria-label="Dismiss" onClick={() => dismiss(id)}>
            ✕
          </button>
        </div>
      ))}
    </div>
  </div>
)
