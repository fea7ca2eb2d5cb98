/** The mount of the app, relative to the page. The server provides it, so that proxies need no configuration. */

const { root = "./", service = "service" } = document.documentElement.dataset

/** The URL of the mount, with a slash at its end. */
export const rootUrl = new URL(root, location.href)

/** The name of the service in the paths of the API. */
export const serviceName = decodeURIComponent(service)

/** The URL of the API, without a slash at its end. */
export const apiUrl = `${rootUrl.href}api/${encodeURIComponent(serviceName)}/v1`

/** Returns the address of a page, for links: `href("projects/1/groups")`. */
export const href = (path: string): string => rootUrl.pathname + path

/** Links to these pages are followed without loading a document. All others are pages of the server. */
export const ownPages = new RegExp(
  `^${rootUrl.pathname.replace(/[.*+?^$()[\]{}|\\]/g, "\\$&")}(projects|groups|reports|settings)(/|\\?|$)`,
)

/** Returns the path and query of the current page below the mount, with a slash at its start. */
export const currentPath = (): string =>
  `/${location.pathname.slice(rootUrl.pathname.length)}${location.search}`
