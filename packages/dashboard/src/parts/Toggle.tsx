import type { ComponentChildren } from "preact"

/** A small button that is pressed or not. */
export const Toggle = ({
  children,
  isPressed,
  onClick,
  title,
}: {
  readonly children: ComponentChildren
  readonly isPressed: boolean
  readonly onClick: () => void
  readonly title: string
}) => (
  <button type="button" class="chip" aria-pressed={isPressed} title={title} onClick={onClick}>
    {children}
  </button>
)
