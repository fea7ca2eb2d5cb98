/**
 * The built code of `thread.ts`, inserted by the build. As text, it also works in bundles of a build. Null in sources
 * that were not built.
 */
declare const ERRATA_SOURCEMAP_THREAD: string | undefined

export const threadText: string | null =
  typeof ERRATA_SOURCEMAP_THREAD === "undefined" ? null : ERRATA_SOURCEMAP_THREAD
