// Compiles the example of every package's README against what the packages would publish.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import ts from "typescript"

const root = fileURLToPath(new URL("../", import.meta.url))
const folder = join(root, "node_modules/.cache/errata-readmes")
mkdirSync(folder, { recursive: true })

const files = readdirSync(join(root, "packages")).flatMap((name) => {
  const example = /```ts\n([\s\S]*?)```/.exec(
    readFileSync(join(root, "packages", name, "README.md"), "utf8"),
  )?.[1]
  if (example === undefined) return []
  const file = join(folder, `${name}.mts`)
  writeFileSync(file, example)
  return [file]
})

const { config } = ts.readConfigFile(join(root, "tsconfig.base.json"), ts.sys.readFile)
const { options } = ts.convertCompilerOptionsFromJson(config.compilerOptions, root)
const program = ts.createProgram(files, { ...options, customConditions: [], noEmit: true })
const problems = files.flatMap((file) => {
  const source = program.getSourceFile(file)
  return [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)]
})
for (const { file, messageText } of problems) {
  console.error(`${file?.fileName}: ${ts.flattenDiagnosticMessageText(messageText, "\n")}`)
}
if (problems.length > 0) process.exit(1)
console.log(`The examples of ${files.length} READMEs compile.`)
