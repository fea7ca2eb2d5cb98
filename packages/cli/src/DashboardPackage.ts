/** Loads the dashboard's package when a server starts. Its files stay outside the bundle of the command. */
import type { Dashboard } from "@errata/http"
import { Effect } from "effect"

/** Returns the dashboard. Without its files, which a build writes, the server starts all the same and logs why. */
export const load = (name = packageName): Effect.Effect<Dashboard | undefined> =>
  // The bundler resolves literals, and leaves this to the process.
  Effect.tryPromise(async () => {
    const { dashboard } = (await import(name)) as { readonly dashboard: Dashboard }
    // The package reads its files now, and fails if they are not there.
    return dashboard.assets.size === 0 ? Promise.reject(new Error(`${name} has no files`)) : dashboard
  }).pipe(
    Effect.catch(({ cause }) =>
      Effect.as(Effect.annotateLogs(Effect.logWarning(unavailable), { reason: String(cause) }), undefined),
    ),
  )

// internal

const packageName = "@errata/dashboard"

const unavailable =
  "The dashboard is not available. Build it with npm run build, or start the server with --no-dashboard"
