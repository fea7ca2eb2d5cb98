/** The stylesheet of the pages. Its name contains a hash, so that browsers cache it forever. */
import { createHash } from "node:crypto"
import * as Brand from "../Brand.js"

const base = `.skip { position: absolute; left: -100vw }
.skip:focus { left: 1rem; top: 1rem; background: var(--panel); padding: .5rem 1rem }
.top { display: flex; flex-wrap: wrap; gap: .5rem 1rem; align-items: center; justify-content: space-between; min-height: 48px; padding: .25rem 1.25rem; background: var(--panel); border-bottom: 1px solid var(--line) }
.brand { display: inline-flex; gap: .5rem; align-items: center; font-weight: 650; color: var(--ink); text-decoration: none }
.brand + a { margin-right: auto }
main { max-width: 44rem; margin: 0 auto; padding: 2rem 1.25rem 4rem }
main.narrow { max-width: 27rem; padding-top: clamp(1rem, 8vh, 5rem) }
h1 { margin: 0 0 .75rem; font-size: 1.5rem; line-height: 1.2; letter-spacing: -.02em }
h2 { margin: 0 0 .5rem; font-size: 1.0625rem; line-height: 1.3 }
p { margin: 0 0 1rem }
.faint { color: var(--faint) }
a { color: var(--link) }
section { margin: 1.5rem 0; padding: 1.25rem; background: var(--panel); border: 1px solid var(--line); border-radius: .5rem }
section > :last-child { margin-bottom: 0 }
form { margin: 0 0 1rem }
label { display: block; margin: 0 0 .25rem; font-weight: 600 }
input { display: block; width: 100%; margin: 0 0 1rem; padding: .625rem .75rem; font: inherit; color: inherit; background: var(--panel); border: 1px solid var(--edge); border-radius: .375rem }
[hidden] { display: none }
button { display: inline-block; min-height: 2.75rem; padding: .5rem 1.125rem; font: inherit; font-weight: 600; color: var(--on-button); background: var(--link); border: 1px solid var(--link); border-radius: .375rem; cursor: pointer }
button.quiet { color: var(--ink); background: transparent; border-color: var(--edge) }
button:hover { filter: brightness(1.08) }
:focus-visible { outline: 3px solid var(--link); outline-offset: 2px }
.actions { display: flex; flex-wrap: wrap; gap: .75rem }
.actions button { flex: 1 1 8rem }
.note { padding: .75rem 1rem; border: 1px solid var(--line); border-radius: .375rem; background: var(--shade) }
.problem { padding: .75rem 1rem; border: 2px solid var(--mark); border-radius: .375rem; background: var(--panel) }
.warning { padding: .75rem 1rem; border-radius: .375rem; background: var(--warn); color: var(--warn-ink) }
.list { margin: 0; padding: 0; list-style: none }
.list > li { display: flex; flex-wrap: wrap; gap: .5rem 1rem; align-items: center; justify-content: space-between; padding: .75rem 0; border-top: 1px solid var(--line) }
.list > li:first-child { border-top: 0 }
.list > li > div { flex: 1 1 14rem }
.list form, .top form { margin: 0 }
.list p { margin: 0 }
ul.plain { padding-left: 1.25rem }
code, .secret { padding: .1em .3em; border-radius: .25rem; background: var(--shade); font: .9em ui-monospace, monospace }
.secret { display: block; padding: .75rem; user-select: all }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .25rem 1rem; margin: 0 0 1rem }
dt { color: var(--faint) }
dd { margin: 0 }
`

const choices = `.choice { font-weight: 400 }
.choice input { display: inline-block; width: auto; margin: 0 .5rem 0 0 }
`

export const css = Brand.style + Brand.markBefore(".brand") + base + choices

export const stylesheetPath = `/assets/errata-${createHash("sha256").update(css).digest("hex").slice(0, 16)}.css`
