/** The styles of the report dialog, in the colors of the pages. */
export const dialogStyles = `:host { all: initial; color-scheme: light dark }
* { box-sizing: border-box }
dialog {
  --panel: #ffffff; --field: #fbfbfa; --ink: #1d1f23; --faint: #565b66; --mark: #b3261e; --button: #1f4fbf; --on-button: #ffffff;
  width: min(30rem, calc(100vw - 2rem)); max-height: calc(100vh - 2rem); overflow: auto; padding: 1.5rem;
  font: 16px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--panel);
  border: 1px solid var(--faint); border-radius: 8px; overflow-wrap: anywhere;
}
@media (prefers-color-scheme: dark) {
  dialog { --panel: #1d2025; --field: #16181c; --ink: #e8e9ec; --faint: #a9afbb; --mark: #ff8a80; --button: #9dbbff; --on-button: #10131a }
}
dialog::backdrop { background: rgb(0 0 0 / .5) }
h2 { margin: 0 0 8px; font-size: 22px; line-height: 1.25 }
p { margin: 0 0 16px }
label { display: block; margin: 0 0 4px; font-weight: 600 }
input, textarea { display: block; width: 100%; margin: 0 0 16px; padding: 10px 12px; font: inherit; color: inherit; background: var(--field); border: 1px solid var(--faint); border-radius: 6px; resize: vertical }
[aria-invalid=true] { margin-bottom: 4px; border: 2px solid var(--mark) }
[hidden] { display: none }
.problem { color: var(--mark) }
.alert { padding: 12px 16px; border: 2px solid var(--mark); border-radius: 6px }
.buttons { display: flex; flex-wrap: wrap; gap: 12px }
button { flex: 1 1 8rem; min-height: 44px; padding: 8px 10px; font: inherit; font-weight: 600; color: var(--on-button); background: var(--button); border: 1px solid var(--button); border-radius: 6px; cursor: pointer }
button[type=button] { color: var(--ink); background: transparent; border-color: var(--faint) }
:focus-visible { outline: 3px solid var(--button); outline-offset: 2px }
`
