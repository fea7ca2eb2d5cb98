import { Context, Option } from "effect"

/**
 * The script that the thread executes (`recorder.ts`, built). None unless the process provides it: only an executable
 * knows where its files are.
 */
export const RecorderScript = Context.Reference("@errata/cli/RecorderScript", {
  defaultValue: () => Option.none<URL>(),
})
