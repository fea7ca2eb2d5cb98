/** A source map as large as those of large applications, and browser events whose frames are all in it. */
import { seeded } from "./random.mjs"

const DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"

const vlq = (value) => {
  let rest = value < 0 ? -value * 2 + 1 : value * 2
  let text = ""
  do {
    const digit = rest & 31
    rest >>>= 5
    text += DIGITS[digit | (rest > 0 ? 32 : 0)]
  } while (rest > 0)
  return text
}

const FUNCTIONS = 20
const LINES_OF_FUNCTION = 12

/** A source file with functions of a dozen lines. */
const sourceText = (index) =>
  Array.from(
    { length: FUNCTIONS },
    (_, at) =>
      `export const handle${index}x${at} = async (order, options) => {\n${Array.from(
        { length: LINES_OF_FUNCTION - 3 },
        (_, line) => `  const part${line} = await options.load(order.items[${line}], "segment ${index}")`,
      ).join("\n")}\n  return options.submit(order, [part0, part1, part2])\n}`,
  ).join("\n")

/** Returns the JSON of a map of about `bytes`, and mapped positions in the generated line. */
export const makeMap = (bytes) => {
  const sources = []
  const sourcesContent = []
  const segments = []
  const columns = []
  let length = 0
  let column = 0
  let last = { column: 0, source: 0, line: 0, original: 0 }
  while (length < bytes) {
    const source = sources.length
    sources.push(`../src/part${source % 40}/handle${source}.ts`)
    const text = sourceText(source)
    sourcesContent.push(text)
    length += text.length * 1.05
    for (let line = 0; line < FUNCTIONS * LINES_OF_FUNCTION; line++) {
      for (const original of [2, 8, 14, 22, 30, 41]) {
        const next = { column, source, line, original }
        const segment =
          vlq(column - last.column) +
          vlq(source - last.source) +
          vlq(line - last.line) +
          vlq(original - last.original)
        last = next
        segments.push(segment)
        length += segment.length + 1
        if (line % LINES_OF_FUNCTION === 4) columns.push(column + 1)
        column += 7
      }
    }
  }
  return {
    json: JSON.stringify({ version: 3, sources, names: [], sourcesContent, mappings: segments.join(",") }),
    mappings: segments.length,
    columns,
  }
}

/** An event of 3 KB with ten frames in the script. */
export const makeEvent = ({ columns, release, scriptUrl, seed }) => {
  const { below, pick } = seeded(seed + 1)
  const frames = Array.from({ length: 10 }, () => ({
    filename: scriptUrl,
    function: `m${below(50)}`,
    in_app: true,
    lineno: 1,
    colno: pick(columns),
  }))
  const event = {
    platform: "javascript",
    level: "error",
    environment: "production",
    release,
    sdk: { name: "sentry.javascript.browser", version: "11.12.0" },
    request: { url: "https://shop.example/cart", headers: { "User-Agent": "Mozilla/5.0" } },
    exception: { values: [{ type: "TypeError", value: `No price (${seed % 20})`, stacktrace: { frames } }] },
    extra: { state: "" },
  }
  event.extra.state = "s".repeat(Math.max(0, 3000 - JSON.stringify(event).length))
  return event
}
