/** A line of source. */
import { Text } from "../../../parts/Text.js"

export const Code = ({ text }: { readonly text: string; readonly language: string | null }) => (
  <code>
    <Text value={text} max={500} />
  </code>
)

/** Returns the name of the language of a file; null if nobody can tell. */
export const languageOf = (file: string, platform: string): string | null =>
  byExtension[file.slice(file.lastIndexOf(".") + 1)] ?? byPlatform[platform] ?? null

// internal

const byExtension: Readonly<Record<string, string>> = {}
const byPlatform: Readonly<Record<string, string>> = {}
