import { render } from "preact"
import { App } from "./App.js"
import icon from "./icon.svg"

// The shell names the icon: it has to be in the manifest.
void icon

// After an upgrade of the server the chunks of the former version are gone. Shortly after a load that cannot be the cause.
addEventListener("vite:preloadError", () => {
  if (performance.now() > 5_000) location.reload()
})

// Relative to the first page, which has another depth than the next one.
const link = document.querySelector<HTMLLinkElement>('link[rel="icon"]')
if (link !== null) link.setAttribute("href", link.href)

render(<App />, document.getElementById("app")!)
