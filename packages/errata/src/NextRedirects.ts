/**
 * Warns about redirects of Next.js. By default, Next.js redirects paths that end with a slash. Sentry SDKs send to such
 * paths, and `@sentry/node` does not follow redirects.
 */
import { readFileSync } from "node:fs"
import { join } from "node:path"

/** Returns a warning if the instance runs inside a Next.js application that redirects the events of SDKs, or null. */
export const redirectWarning = (
  folder: string = process.cwd(),
  runtime: string | undefined = process.env.NEXT_RUNTIME,
): string | null => {
  if (runtime !== "nodejs") return null
  const routes = readFirst(manifests.map((name) => join(folder, distFolder, name)))
  return routes !== null && /"source":\s*"\/:path\+\/"/.test(routes) ? warning : null
}

// internal

const distFolder = ".next"

/** Files of the build, and of the development server. */
const manifests =
  process.env.__NEXT_DEV_SERVER === undefined
    ? ["routes-manifest.json"]
    : ["dev/routes-manifest.json", "routes-manifest.json"]

const warning =
  "Next.js redirects the requests of Sentry SDKs, and their events are lost. " +
  "Set skipTrailingSlashRedirect: true in next.config.ts"

const readFirst = (paths: ReadonlyArray<string>): string | null => {
  for (const path of paths) {
    try {
      return readFileSync(path, "utf8")
    } catch {
      // Without this file, nothing is known about redirects, so there is no warning.
    }
  }
  return null
}
