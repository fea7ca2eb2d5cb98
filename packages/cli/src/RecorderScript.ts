import { Context, Option } from "effect"

/**
 * The script of the recorder thread (`recorder.ts`, built). Only an executable knows its path, so the default is none.
 */
export const RecorderScript = Context.Reference("@errata/cli/RecorderScript", {
  defaultValue: () => Option.none<URL>(),
})
