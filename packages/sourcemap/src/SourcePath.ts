/** The names of files that source maps give, as people know them. */

/**
 * A source's name without what a bundler put before or behind it: `webpack://web/./src/cart.ts?a1b2` is `src/cart.ts`.
 */
export const cleanPath = (source: string): string => {
  let path = source.replaceAll("\\", "/")
  const scheme = bundlerScheme.exec(path)
  if (scheme !== null) {
    path = path.slice(scheme[0].length)
    // The names of layers and of the project's own folder.
    path = path.replace(/^\([\w-]{1,64}\)\/(?=\.{1,2}\/)/, "").replace(/^\[project\]\//, "")
  }
  // Rollup marks what is in no file.
  const query = path.indexOf("?")
  if (query > 0) path = path.slice(0, query)
  let start = 0
  while (path.startsWith("./", start) || path.startsWith("../", start)) start = path.indexOf("/", start) + 1
  return path.slice(start)
}

/** Whether a cleaned name is of the people's own code, and not of a package, a bundler or something outside. */
export const isOwnCode = (path: string): boolean =>
  !/^\0/.test(path) && !foreignFolder.test(path) && !foreignStart.test(path)

/**
 * A source's address, from the map's: `../src/cart.ts` of `https://h/assets/app.js.map` is `https://h/src/cart.ts`. Never
 * above the root, and not encoded for a URL: it is for reading and comparing.
 */
export const resolveSource = (source: string, mapUrl: string): string => {
  const path = source.replaceAll("\\", "/")
  if (/^[A-Za-z][\w+.-]*:/.test(path)) return path
  const [root] = /^(?:[A-Za-z][\w+.-]*:\/\/[^/]*|~)?\/?/.exec(mapUrl)!
  if (path.startsWith("//")) return `${/^[A-Za-z][\w+.-]*:/.exec(mapUrl)?.[0] ?? ""}${path}`
  // Of a map without an origin, the root is that of a file system.
  if (path.startsWith("/")) return root.includes("://") ? root.replace(/\/$/, "") + path : path
  const folder = mapUrl.slice(root.length).replace(/[?#].*$/s, "")
  const segments = folder.slice(0, folder.lastIndexOf("/") + 1).split("/")
  segments.pop()
  for (const segment of path.split("/")) {
    if (segment === "..") segments.pop()
    else if (segment !== ".") segments.push(segment)
  }
  return root + segments.join("/")
}

// internal

const bundlerScheme = /^(?:webpack:\/\/[^/]*\/|webpack-internal:\/\/\/|turbopack:\/\/\/?|vite:|file:\/\/)/

const foreignFolder = /(?:^|\/)(?:node_modules|bower_components|~)\//

const foreignStart = /^(?:webpack\/|external |\(webpack\)|vite\/|@vite)/
