import type { ComponentChildren } from "preact"
import { useEffect, useRef } from "preact/hooks"
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
  const headingRef = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    document.title = `${title} · Errata`
  }, [title])
  useEffect(() => {
    if (isFirst) isFirst = false
    else headingRef.current?.focus({ preventScroll: true })
  }, [])
  return (
    <main id="main" class={isNarrow ? "page narrow" : "page"}>
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

/** The browser itself announces the first page. */
let isFirst = true
