import type { ComponentChildren } from "preact"
import { useCallback, useLayoutEffect, useRef } from "preact/hooks"
import "../styles/dialog.css"

/**
 * A dialog. The browser returns the focus; Escape and a click beside it close it. The rest of the page is inert, unless it is
 * `isLight`: then it closes when the focus leaves it. Without a page to make inert, the help opens in 40 ms instead of 80 above a
 * list of 50 groups, with the processor slowed four times.
 */
export const Dialog = ({
  title,
  onClose,
  isTitleHidden = false,
  isLight = false,
  class: className,
  children,
}: {
  readonly title: string
  readonly onClose: () => void
  readonly isTitleHidden?: boolean
  readonly isLight?: boolean
  readonly class?: string
  readonly children: ComponentChildren
}) => {
  const ref = useRef<HTMLDialogElement>(null)
  // Refs are set before the effects of the content, which may set the focus.
  const open = useCallback((dialog: HTMLDialogElement | null) => {
    ref.current = dialog
    if (isLight) dialog?.showPopover()
    else dialog?.showModal()
  }, [])
  const close = () => (isLight ? ref.current?.hidePopover() : ref.current?.close())
  useLayoutEffect(() => {
    const follow = ({ relatedTarget, target }: FocusEvent) => {
      if (!isLight || !(target instanceof Element) || ref.current?.contains(target)) return
      // A page that opens focuses its heading. The reader did not leave the dialog.
      if (!target.matches("h1")) close()
      else if (relatedTarget instanceof HTMLElement) relatedTarget.focus()
    }
    addEventListener("focusin", follow)
    return () => {
      removeEventListener("focusin", follow)
      close()
      requestAnimationFrame(focusSomething)
    }
  }, [])
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape closes it; the browser handles the key.
    <dialog
      ref={open}
      class={className}
      aria-label={title}
      popover={isLight ? "auto" : undefined}
      onClose={onClose}
      onToggle={({ newState }) => {
        if (isLight && newState === "closed") onClose()
      }}
      onClick={(event) => {
        if (event.target === ref.current) close()
      }}
    >
      <div class="dialog-body">
        <header class={isTitleHidden ? "visually-hidden" : undefined}>
          <h2>{title}</h2>
          <button type="button" class="quiet" aria-label="Close" onClick={close}>
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
