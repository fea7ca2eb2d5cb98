// Lists every message (a string that users read) with its position and kind.
//
// Usage: node scripts/messages.mjs [PATH... | --count]. Paths select files or folders. --count counts messages per
// package and kind.
import { allMessages } from "./prose/files.mjs"

const args = process.argv.slice(2)

const tally = (rows, of) => {
  const counts = {}
  for (const row of rows) counts[of(row)] = (counts[of(row)] ?? 0) + 1
  return counts
}

if (args[0] === "--count") {
  console.table(tally(allMessages(), ({ kind, path }) => `${path.split("/")[1]} ${kind}`))
} else {
  for (const { kind, line, path, text } of allMessages()) {
    if (args.length === 0 || args.some((wanted) => path.startsWith(wanted)))
      console.log(`${path}:${line}: ${kind}: ${JSON.stringify(text)}`)
  }
}
