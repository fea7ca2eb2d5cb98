/** Confirms a change that cannot be undone. */
import type { ComponentChildren } from "preact"
import { useEffect, useRef } from "preact/hooks"
import { notify } from "../data/notices.js"
import { Dialog } from "./Dialog.js"
import { Form, type FormState, useForm } from "./Form.js"
import { focusHeading } from "./Page.js"

export const Confirm = ({
  title,
  action,
  labels,
  isDangerous = true,
  done,
  run,
  onClose,
  children,
}: {
  readonly title: string
  /** The label of the button that does it: `Delete webhook`. */
  readonly action: string
  /** The visible names of fields, if it has any. */
  readonly labels?: Readonly<Record<string, string>>
  readonly isDangerous?: boolean
  /** The message after a change that removes the focused button: the heading gets the focus. */
  readonly done?: string
  readonly run: (fields: FormData) => Promise<void>
  /** `isDone` is false if the reader closed the dialog. */
  readonly onClose: (isDone: boolean) => void
  readonly children: (form: FormState) => ComponentChildren
}) => {
  const form = useForm(labels)
  const content = useRef<HTMLDivElement>(null)
  useEffect(() => content.current?.querySelector<HTMLElement>("input, select, footer button")?.focus(), [])
  return (
    <Dialog title={title} onClose={() => onClose(false)}>
      <Form
        form={form}
        onSubmit={async (fields) => {
          if (!(await form.run(() => run(fields)))) return
          onClose(true)
          if (done === undefined) return
          notify(done)
          focusHeading()
        }}
      >
        <div ref={content} class="confirm">
          {children(form)}
          <footer>
            <button type="button" onClick={() => onClose(false)}>
              Cancel
            </button>
            <button type="submit" class={isDangerous ? "danger" : "primary"} aria-disabled={form.isBusy}>
              {action}
            </button>
          </footer>
        </div>
      </Form>
    </Dialog>
  )
}
