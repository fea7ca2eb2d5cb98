import { render } from "preact"
import { App } from "./App.js"
import icon from "./icon.svg"

// The shell names the icon: it has to be in the manifest.
void icon

// The chunk of a page is gone after an upgrade of the server.
addEventListener("vite:preloadError", () => location.reload())

render(<App />, document.getElementById("app")!)
