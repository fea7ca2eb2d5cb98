/** The language of a frame, by the ending of its file. */
import type { Frame } from "@errata/core/event"

export type Language = "csharp" | "go" | "java" | "kotlin" | "php" | "python" | "ruby" | "rust" | "typescript"

/** Returns the language of a file, or null if it is unknown. Such sources are not highlighted. */
export const languageOf = ({ abs_path, filename }: Frame): Language | null => {
  const [, ending] = /\.(\w+)(?:[?#].*)?$/.exec(filename ?? abs_path ?? "") ?? []
  return endings.get(ending?.toLowerCase()) ?? null
}

// internal

const endings = new Map<string | undefined, Language>([
  ["cs", "csharp"],
  ["go", "go"],
  ["java", "java"],
  ["kt", "kotlin"],
  ["php", "php"],
  ["py", "python"],
  ["rb", "ruby"],
  ["rs", "rust"],
  // The grammar of TypeScript reads JavaScript and JSX, too.
  ...["js", "jsx", "mjs", "cjs", "ts", "tsx", "mts", "cts", "vue", "svelte"].map(
    (ending) => [ending, "typescript"] as const,
  ),
])
