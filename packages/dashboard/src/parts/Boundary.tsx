import type { ComponentChildren } from "preact"
import { useErrorBoundary } from "preact/hooks"
import { Page } from "./Page.js"

/** Replaces a page that fails to render. The frame stays usable. */
export const Boundary = ({ children }: { readonly children: ComponentChildren }) => {
  const [error] = useErrorBoundary()
  if (error === undefined) return children
  return (
    <Page title="This page failed">
      <p>{error instanceof Error ? error.message : String(error)}</p>
      <p>If the server was updated while the page was open, loading it again helps.</p>
      <button type="button" class="primary" onClick={() => location.reload()}>
        Reload
      </button>
    </Page>
  )
}
