import type { ComponentChildren } from "preact"
import { useCallback, useLayoutEffect, useRef } from "preact/hooks"
import "../styles/dialog.css"

/** A modal dialog. The browser keeps the focus inside and returns it; Escape and a click beside it close it. */
export const Dialog = ({
  title,
  onClose,
  isTitleHidden = false,
  class: className,
  children,
}: {
  readonly title: string
  readonly onClose: () => void
  readonly isTitleHidden?: boolean
  readonly class?: string
  readonly children: ComponentChildren
}) => {
  const ref = useRef<HTMLDialogElement>(null)
  // Refs are set before the effects of the content, which may set the focus.
  const open = useCallback((dialog: HTMLDialogElement | null) => {
    ref.current = dialog
    if (dialog?.open === false) dialog.showModal()
  }, [])
  useLayoutEffect(
    () => () => {
      ref.current?.close()
      requestAnimationFrame(focusSomething)
    },
    [],
  )
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape closes it; the browser handles the key.
    <dialog
      ref={open}
      class={className}
      aria-label={title}
      onClose={onClose}
      onClick={(event) => {
        if (event.target === ref.current) ref.current?.close()
      }}
    >
      <div class="dialog-body">
        <header class={isTitleHidden ? "visually-hidden" : undefined}>
          <h2>{title}</h2>
          <button type="button" class="quiet" aria-label="Close" onClick={() => ref.current?.close()}>
            ✕
          </button>
        </header>
        {children}
      </div>
    </dialog>
  )
}

// internal

/** The browser returns the focus to the opener. It may have gone, with the dialog that it was in for example. */
const focusSomething = (): void => {
  if (document.activeElement !== document.body) return
  // Synchronous, since a menu that opens now takes the focus next.
  document.querySelector<HTMLElement>("main h1")?.focus({ preventScroll: true })
}
