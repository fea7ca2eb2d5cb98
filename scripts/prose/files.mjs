/** The source files of the repository, and the messages in them. */
import { execFileSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { root } from "../documents.mjs"
import { messagesOf } from "./sources.mjs"

/** Paths that git knows, so that files which git ignores are not read. */
export const sourceFiles = () =>
  execFileSync("git", ["ls-files", "*.ts", "*.tsx", "*.mjs"], {
    cwd: root,
    encoding: "utf8",
    maxBuffer: 1 << 26,
  })
    .split("\n")
    .filter((path) => path !== "" && !path.startsWith("docs/.vitepress") && !path.startsWith("scripts/prose"))

/** Messages of every published package: `{ path, line, kind, text }`. */
export const allMessages = () =>
  sourceFiles()
    .filter((path) => /^packages\/(?!testing\/|api\/src\/wire\/)[^/]+\/src\//.test(path))
    .flatMap((path) =>
      messagesOf(path, readFileSync(join(root, path), "utf8")).map((message) => ({ path, ...message })),
    )
