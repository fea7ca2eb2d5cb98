// Checks the documents: compiles their TypeScript against the packages as published, parses their JavaScript and JSON,
// follows their links, and checks that their `errata` commands exist.
// Usage: node scripts/check-documents.mjs, after `npm run build && npm run types`.
import { spawnSync } from "node:child_process"
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { basename, dirname, join, normalize } from "node:path"
import { Completions } from "effect/cli"
import { parseSync } from "oxc-parser"
import { errata } from "../packages/cli/dist/index.js"
import { blocksOf, documents, root } from "./documents.mjs"
import { siteProblems } from "./site.mjs"

const problems = []
const pages = documents().map((page) => ({ ...page, blocks: blocksOf(page.text) }))
const scripts = JSON.parse(readFileSync(join(root, "package.json"), "utf8")).scripts

// ---- Code

const folder = join(root, "node_modules/.cache/errata-documents")
rmSync(folder, { recursive: true, force: true })
mkdirSync(folder, { recursive: true })

const origins = new Map()
for (const { blocks, path } of pages) {
  for (const { code, language, line } of blocks) {
    const where = `${path}:${line}`
    if (language === "ts") {
      const file = `${where.replaceAll(/[/:]/g, "-")}.mts`
      writeFileSync(join(folder, file), code)
      origins.set(file, where)
    } else if (language === "js" || language === "mjs") {
      for (const { message } of parseSync("block.mjs", code).errors) problems.push(`${where}: ${message}`)
    } else if (language === "json") {
      for (const document of code.trim().split(/\n(?=\{)/)) {
        try {
          JSON.parse(document)
        } catch (error) {
          problems.push(`${where}: ${error.message}`)
        }
      }
    }
  }
}

writeFileSync(
  join(folder, "tsconfig.json"),
  JSON.stringify({
    extends: join(root, "tsconfig.base.json"),
    // Examples may declare things that they do not use.
    compilerOptions: { customConditions: [], noUnusedLocals: false, noEmit: true },
    files: [...origins.keys()],
  }),
)
const compiled = spawnSync("npx", ["tsc", "-p", folder, "--pretty", "false"], { cwd: root, encoding: "utf8" })
const errors = [...compiled.stdout.matchAll(/^(.+?)\((\d+),\d+\): error TS\d+: (.*)$/gm)]
for (const [, file, line, message] of errors) {
  problems.push(`${origins.get(basename(file)) ?? file} +${line}: ${message}`)
}
if (compiled.status !== 0 && errors.length === 0) problems.push(`tsc: ${compiled.stdout}${compiled.stderr}`)

// ---- Commands

/** Options of every command by its path, e.g. `errata groups list`. */
const commands = new Map()
const addCommand = ({ flags, name, subcommands }, parents = []) => {
  const words = [...parents, name]
  const options = flags.flatMap(({ aliases, name }) => [`--${name}`, ...aliases.map((alias) => `-${alias}`)])
  commands.set(words.join(" "), options)
  for (const command of subcommands) addCommand(command, words)
}
addCommand(Completions.fromCommand(errata))

/** Splits a block into command lines: drops comments, joins continued lines, and separates the parts of pipes. */
const commandLines = (code) =>
  code
    .replaceAll("\\\n", " ")
    .split("\n")
    .flatMap((line) => line.replace(/(^|\s)#.*$/, "").split(/\||&&|\$\(|<\(|;/))
    .map((part) => part.trim().replace(/^(?:export \w+=|\w+="?[^\s"]*"? |npx |xargs )+/, ""))

const commandProblem = (line) => {
  const words = line.replaceAll(/"[^"]*"|'[^']*'/g, "TEXT").split(/\s+/)
  if (words[0] === "npm" && words[1] === "run" && scripts[words[2]] === undefined) {
    return `there is no script ${words[2]}`
  }
  if (words[0] !== "errata") return null
  const depth = [3, 2].find((count) => commands.has(words.slice(0, count).join(" ")))
  const given = words.filter((word) => /^--?[a-z]/.test(word)).map((word) => word.split(/[=)]/)[0])
  if (depth === undefined) {
    return /^errata (--\w+|login|logout|mcp)/.test(line) ? null : `there is no command ${line}`
  }
  const path = words.slice(0, depth).join(" ")
  const ofAll = ["--help", "--log-level", "--log-format", "--config", "--storage", "--data-dir"]
  const known = [...commands.get(path), ...ofAll]
  const unknown = given.find((option) => !known.includes(option))
  return unknown === undefined ? null : `${path} has no option ${unknown}`
}

for (const { blocks, path } of pages) {
  for (const { code, language, line } of blocks.filter(({ language }) => language === "sh")) {
    for (const command of commandLines(code)) {
      const problem = commandProblem(command)
      if (problem !== null) problems.push(`${path}:${line}: ${problem} (${language}: ${command})`)
    }
  }
}

// ---- Links

const anchorOf = (heading) =>
  heading
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1")
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
    .trim()
    .replaceAll(/\s/g, "-")

const anchors = new Map(
  pages.map(({ path, text }) => [
    path,
    new Set([...withoutBlocks(text).matchAll(/^#+ (.*)$/gm)].map(([, heading]) => anchorOf(heading))),
  ]),
)

function withoutBlocks(text) {
  return text.replaceAll(/^```[\s\S]*?^```$/gm, "")
}

for (const { path, text } of pages) {
  for (const [, target] of withoutBlocks(text).matchAll(/\]\(([^)\s]+)\)/g)) {
    if (/^(https?:|mailto:)/.test(target) || target.startsWith("/reference/")) continue
    const [file, anchor] = target.split("#")
    const to = file === "" ? path : normalize(join(dirname(path), file))
    if (!existsSync(join(root, to))) problems.push(`${path}: ${target} leads nowhere`)
    else if (anchor !== undefined && anchors.get(to)?.has(anchor) === false) {
      problems.push(`${path}: ${target} leads to no heading`)
    }
  }
  const files = withoutBlocks(text).matchAll(/^<<< ([^{\s]+)|\b(?:src|srcset)="(?!https?:)([^"]+)"/gm)
  for (const [, included, image] of files) {
    const file = included ?? image
    if (!existsSync(join(root, dirname(path), file))) problems.push(`${path}: ${file} is not there`)
  }
}

problems.push(...siteProblems(pages))

for (const problem of problems) console.error(problem)
if (problems.length > 0) process.exit(1)
console.log(
  `${pages.length} documents: ${origins.size} blocks of TypeScript compile, links, commands and the navigation of the site are right.`,
)
