/** The icon, the colors and the mark before the name: the pages of the server share them with the dashboard. */

const svg =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 18 18"><rect width="18" height="18" rx="5" fill="#c4391d"/><rect x="3" y="3" width="12" height="12" rx="2.5" fill="#fff"/><rect x="5" y="5" width="8" height="8" rx="1.5" fill="#c4391d"/></svg>'

export const icon = `data:image/svg+xml,${encodeURIComponent(svg)}`

export const style = `:root {
  color-scheme: light dark;
  --ground: light-dark(#fbfbfa, #111214); --panel: light-dark(#fff, #17181b); --shade: light-dark(#ecebe8, #292b30);
  --line: light-dark(#e6e5e1, #292b30); --edge: light-dark(#8f8d86, #6d7079);
  --ink: light-dark(#1b1b19, #ecebe8); --faint: light-dark(#55534e, #a9a8a3);
  --mark: light-dark(#c4391d, #ff8a6b); --link: light-dark(#3d5bd9, #8ea6ff); --on-button: light-dark(#fff, #0e1330);
  --warn: light-dark(#fff4c7, #3a3110); --warn-ink: light-dark(#5c4300, #ffdf94);
}
* { box-sizing: border-box }
body { margin: 0; background: var(--ground); color: var(--ink); font: .9375rem/1.55 system-ui, sans-serif; overflow-wrap: anywhere }
`

/** Styles the mark before the text of these elements. */
export const markBefore = (selector: string): string =>
  `${selector}::before { content: ""; flex: none; width: 18px; height: 18px; border-radius: 5px; background: var(--mark); box-shadow: inset 0 0 0 1px var(--mark), inset 0 0 0 4px var(--panel) }
`
