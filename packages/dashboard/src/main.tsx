import { render } from "preact"
import { App } from "./App.js"
import { firstList } from "./data/ahead.js"
import { groupsQuery } from "./data/groups.js"
import { cache } from "./data/query.js"
import { bearer } from "./data/session.js"
import icon from "./icon.svg"

// The shell refers to the icon, so it must be in the manifest.
void icon

// Browsers resolve it again at each page, which may be at another depth.
for (const link of document.querySelectorAll<HTMLLinkElement>("link[rel=icon]"))
  link.setAttribute("href", link.href)

// A list renders once, with its groups. A report still loads code after it has rendered.
const isReady = firstList === null ? bearer().catch(() => {}) : cache.prefetchQuery(groupsQuery(firstList))
const isLate = new Promise((resolve) => setTimeout(resolve, 150))
void Promise.race([isReady, isLate]).then(() => render(<App />, document.getElementById("app")!))
