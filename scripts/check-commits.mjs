// Checks the subjects of commits made after the one that added this file: `area: imperative summary`, at most 72
// characters, no period at the end. A checkout without history, such as an archive, has nothing to check.
// Usage: node scripts/check-commits.mjs
import { execFileSync } from "node:child_process"
import { fileURLToPath } from "node:url"
import { subjectProblem } from "./prose/commit-subject.mjs"

const cwd = fileURLToPath(new URL("../", import.meta.url))
const git = (...args) =>
  execFileSync("git", args, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim()

const commits = () => {
  try {
    const added = git("log", "--diff-filter=A", "--format=%H", "--", "scripts/check-commits.mjs")
      .split("\n")
      .at(-1)
    return git("log", "--no-merges", "--format=%h %s", `${added}..HEAD`).split("\n").filter(Boolean)
  } catch {
    console.log("Commits: not checked, because this checkout has no git history.")
    return []
  }
}

const problems = commits().flatMap((commit) => {
  const problem = subjectProblem(commit.replace(/^\S+ /, ""))
  return problem === null ? [] : [`${commit}\n    ${problem}`]
})
for (const problem of problems) console.error(problem)
if (problems.length > 0) process.exit(1)
