/** JSON of strangers, and tables of it. */
import { useState } from "preact/hooks"
import { counted } from "../text/Numbers.js"
import { Text } from "./Text.js"
import "../styles/parts.css"

export const Value = ({ value }: { readonly value: unknown }) => {
  if (typeof value === "string")
    return value === "" ? <span class="faint">empty</span> : <Text value={value} />
  const inline = inlineJson(value)
  if (typeof value !== "object" || value === null || inline.length <= maxInline) {
    return <code>{<Text value={inline} />}</code>
  }
  return (
    <pre class="json">
      <Text value={JSON.stringify(value, null, 2)} />
    </pre>
  )
}

/** Returns JSON in one line, e.g. `{ a: 1, b: "x" }`, for the values of variables. */
export const inlineJson = (value: unknown): string => {
  if (value === undefined) return "undefined"
  const text = JSON.stringify(value)
  return Array.isArray(value) || typeof value !== "object" ? text.replaceAll(/,(?=["[{\d])/g, ", ") : text
}

/** A table of names and values. `keyOf` rows are the caller's: links, for example. */
export const Pairs = ({
  pairs,
}: {
  readonly pairs: ReadonlyArray<readonly [name: string, value: unknown]>
}) => {
  const [isWhole, setWhole] = useState(false)
  const shown = isWhole ? pairs : pairs.slice(0, maxRows)
  return (
    <>
      <table class="pairs">
        <tbody>
          {shown.map(([name, value], i) => (
            // Names may repeat: headers, for example.
            <tr key={i}>
              <th scope="row">
                <Text value={name} max={200} />
              </th>
              <td>
                <Value value={value} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {shown.length < pairs.length && (
        <button type="button" class="link more" onClick={() => setWhole(true)}>
          {counted(pairs.length - shown.length, "more row")}
        </button>
      )}
    </>
  )
}

/** Returns the members of an object that are not empty. */
export const pairsOf = (value: object): ReadonlyArray<readonly [string, unknown]> =>
  Object.entries(value).filter(([, member]) => member !== null && member !== undefined && member !== "")

// internal

const maxInline = 80
const maxRows = 100
