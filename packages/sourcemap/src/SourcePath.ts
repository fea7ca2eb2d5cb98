/** Cleans the source names in maps for display. */

/** Strips the prefix and suffix of bundlers: `webpack://web/./src/cart.ts?a1b2` becomes `src/cart.ts`. */
export const cleanPath = (source: string): string => {
  let path = source.replaceAll("\\", "/")
  const scheme = bundlerScheme.exec(path)
  if (scheme !== null) {
    path = path.slice(scheme[0].length)
    // Names of webpack layers and of the project folder.
    path = path.replace(/^\([\w-]{1,64}\)\/(?=\.{1,2}\/)/, "").replace(/^\[project\]\//, "")
  }
  // Strip a query, such as Rollup's mark of virtual modules.
  const query = path.indexOf("?")
  if (query > 0) path = path.slice(0, query)
  return collapsed(scheme?.[0].startsWith("webpack://") ? path : path.replace(buildName, ""))
}

/** Returns true if a cleaned name belongs to the application, and not to a package, a bundler or an external module. */
export const isOwnCode = (path: string): boolean =>
  !/^\0/.test(path) && !foreignFolder.test(path) && !foreignStart.test(path)

/**
 * Resolves a source against the map's URL: `../src/cart.ts` of `https://h/assets/app.js.map` is
 * `https://h/src/cart.ts`. Never leaves the root. Not URL-encoded, because it is for display and comparison.
 */
export const resolveSource = (source: string, mapUrl: string): string => {
  const path = source.replaceAll("\\", "/")
  if (/^[A-Za-z][\w+.-]*:/.test(path)) return collapsed(path)
  const [root] = /^(?:[A-Za-z][\w+.-]*:\/\/[^/]*|~)?\/?/.exec(mapUrl)!
  if (path.startsWith("//")) return collapsed(`${/^[A-Za-z][\w+.-]*:/.exec(mapUrl)?.[0] ?? ""}${path}`)
  // Without an origin, the root is that of a file system.
  if (path.startsWith("/")) return (root.includes("://") ? root.replace(/\/$/, "") : "") + collapsed(path)
  const folder = mapUrl.slice(root.length).replace(/[?#].*$/s, "")
  return root + collapsed(folder.slice(0, folder.lastIndexOf("/") + 1) + path)
}

// internal

/** Tools that join paths collapse several slashes into one. */
const bundlerScheme =
  /^(?:webpack:(?:\/\/[^/]*)?\/|webpack-internal:\/{1,3}|turbopack:\/{1,3}|vite:|file:(?:\/\/)?)/

/** Uploads shorten `webpack://shop/./src/cart.ts` to `shop/./src/cart.ts`. */
const buildName = /^(?!\.{1,2}\/|~\/|node_modules\/|bower_components\/)[^/:]+\/\.\//

/** Resolves `.` and `..` segments, without leaving the root or the base folder. */
const collapsed = (path: string): string => {
  const [root] = /^(?:[A-Za-z][\w+.-]*:\/\/[^/]*)?\/?/.exec(path)!
  const segments: Array<string> = []
  for (const segment of path.slice(root.length).split("/")) {
    if (segment === "..") segments.pop()
    else if (segment !== ".") segments.push(segment)
  }
  return root + segments.join("/")
}

const foreignFolder = /(?:^|\/)(?:node_modules|bower_components|~)\//

const foreignStart = /^(?:webpack\/|external |\(webpack\)|vite\/|@vite)/
