/** The script of a page with the browser SDK. `window.dsn` is the page's DSN; `window.sent` records the requests. */
import * as Sentry from "@sentry/browser"

// The part of `fetch` that the SDK needs, which jsdom lacks. Its XMLHttpRequest follows the same CORS rules.
window.fetch = (url, { body, headers = {}, method }) =>
  new Promise((resolve, reject) => {
    const request = new XMLHttpRequest()
    request.open(method, url)
    for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value)
    request.onload = () =>
      resolve({
        status: request.status,
        headers: { get: (name) => request.getResponseHeader(name) },
        text: async () => request.responseText,
      })
    request.onerror = () => reject(new TypeError("Failed to fetch"))
    request.send(body)
  })

window.sent = []

Sentry.init({ dsn: window.dsn, release: "page@2.0.0", environment: "browser" })
Sentry.getClient().on("afterSendEvent", ({ event_id }, { statusCode }) => {
  window.sent.push({ event_id, status: statusCode })
})

class CartError extends Error {
  name = "CartError"
}

function addToCart(product) {
  throw new CartError(`Product ${product} is sold out`, { cause: new Error("The stock is 0") })
}

window.actions = {
  caught: () => {
    Sentry.setUser({ id: "u-1", email: "ada@example.com" })
    Sentry.setTag("page", "cart")
    document.querySelector("button").click()
    // biome-ignore lint/suspicious/noConsole: the SDK makes a breadcrumb of it
    console.warn("about to add")
    try {
      addToCart(17)
    } catch (error) {
      Sentry.captureException(error)
    }
  },
  uncaught: () => setTimeout(() => addToCart(18)),
}
