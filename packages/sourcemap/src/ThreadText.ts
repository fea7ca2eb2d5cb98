/**
 * The text of `thread.ts`, built, which a build puts in the place of the name. As text, so that it runs from a build and
 * from every bundle of one. Null of sources that were not built.
 */
declare const ERRATA_SOURCEMAP_THREAD: string | undefined

export const threadText: string | null =
  typeof ERRATA_SOURCEMAP_THREAD === "undefined" ? null : ERRATA_SOURCEMAP_THREAD
