/** Places an open popover below its button, or above if there is no room. Uses CSSOM, which a strict policy allows. */
export const place = (button: Element, popover: HTMLElement, align: "start" | "end" = "start"): void => {
  const { bottom, left, right, top } = button.getBoundingClientRect()
  const { offsetHeight: height, offsetWidth: width } = popover
  const x = align === "start" ? left : right - width
  const y = bottom + 4 + height > innerHeight && top - 4 - height > 0 ? top - 4 - height : bottom + 4
  popover.style.left = `${Math.max(8, Math.min(x, innerWidth - width - 8))}px`
  popover.style.top = `${Math.max(8, y)}px`
}
