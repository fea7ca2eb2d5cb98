/** A card that is folded to one line until the reader opens it. Folded content is not rendered. */
import { signal } from "@preact/signals"
import type { ComponentChildren } from "preact"
import { Text } from "./Text.js"
import "../styles/parts.css"

/** The titles of open sections: they stay open while one walks through reports. */
const open = signal<ReadonlySet<string>>(new Set())

export const Section = ({
  children,
  count,
  summary = "",
  title,
}: {
  readonly title: string
  readonly count?: number
  /** The most important part of the folded content. */
  readonly summary?: string
  readonly children: () => ComponentChildren
}) => {
  const isOpen = open.value.has(title)
  return (
    <details
      class="card section"
      open={isOpen}
      onToggle={({ currentTarget }) => {
        const titles = new Set(open.value)
        if (currentTarget.open) titles.add(title)
        else titles.delete(title)
        if (titles.has(title) !== isOpen) open.value = titles
      }}
    >
      <summary>
        <h2>{title}</h2>
        {count !== undefined && <span class="faint">{count}</span>}
        {summary !== "" && !isOpen && (
          <span class="section-summary">
            <Text value={summary.slice(0, 200)} />
          </span>
        )}
      </summary>
      {isOpen && <div class="section-body">{children()}</div>}
    </details>
  )
}
