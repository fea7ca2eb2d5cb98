import type { ComponentChildren } from "preact"
import { useEffect, useLayoutEffect, useRef } from "preact/hooks"
import { useIsShown } from "../data/shown.js"
import "../styles/page.css"

/**
 * The content of a page. Its heading gets the focus after a navigation, so that screen readers announce the page.
 * `isHeadingHidden` hides it visually.
 */
export const Page = ({
  title,
  heading = title,
  isHeadingHidden = false,
  isNarrow = false,
  layout = (heading) => heading,
  children,
}: {
  /** The title of the document, for example `web (118)`. */
  readonly title: string
  readonly heading?: ComponentChildren
  readonly isHeadingHidden?: boolean
  readonly isNarrow?: boolean
  /** Places the heading within other content. */
  readonly layout?: (heading: ComponentChildren) => ComponentChildren
  readonly children: ComponentChildren
}) => {
  const isShown = useIsShown()
  const ref = useRef<HTMLElement>(null)
  const headingRef = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    if (isShown) document.title = `${title} · Errata`
  }, [title, isShown])
  useLayoutEffect(() => {
    if (!isShown) closeAll(ref.current)
    else if (isFirst) isFirst = false
    else {
      // If a page changed while it was hidden, Chromium may still treat it as hidden and ignore `focus()`. Reading its size
      // forces a layout first.
      ref.current?.getBoundingClientRect()
      headingRef.current?.focus({ preventScroll: true })
    }
  }, [isShown])
  return (
    <main
      ref={ref}
      id={isShown ? "main" : undefined}
      hidden={!isShown}
      aria-hidden={!isShown || undefined}
      class={isNarrow ? "page narrow" : "page"}
    >
      {layout(
        <h1 ref={headingRef} tabIndex={-1} class={isHeadingHidden ? "visually-hidden" : undefined}>
          {heading}
        </h1>,
      )}
      {children}
    </main>
  )
}

/** Moves the focus to the heading, for changes that remove the focused button. */
export const focusHeading = (): void => {
  requestAnimationFrame(() => document.querySelector<HTMLElement>("main h1")?.focus())
}

// internal

/** Closes menus and dialogs. They would stay open, and keep the rest of the document from the reader. */
const closeAll = (page: HTMLElement | null): void => {
  for (const menu of page?.querySelectorAll<HTMLElement>(":popover-open") ?? []) menu.hidePopover()
  for (const dialog of page?.querySelectorAll<HTMLDialogElement>("dialog[open]") ?? []) dialog.close()
}

/** The browser itself announces the first page. */
let isFirst = true
