/** Formats a resource for people: its title and its fields line by line. */
import { printable, textWidth } from "../Table.js"

export type Field = readonly [label: string, value: string | number | null]

/** Formats the fields that have a value, with the values aligned. Line breaks in values are kept. */
export const fieldLines = (fields: ReadonlyArray<Field>): ReadonlyArray<string> => {
  const shown = fields.flatMap(([label, value]) =>
    value === null || value === "" ? [] : [{ label, lines: String(value).split(/\r?\n/) }],
  )
  const width = Math.max(0, ...shown.map(({ label }) => textWidth(label)))
  return shown.flatMap(({ label, lines }) =>
    lines.map(
      (line, i) =>
        `${i === 0 ? label : ""}${" ".repeat(width - (i === 0 ? textWidth(label) : 0))}  ${printable(line)}`,
    ),
  )
}

/** Splits a text of users or applications into lines without control characters. */
export const textLines = (text: string): ReadonlyArray<string> => text.split(/\r?\n/).map(printable)

export const yesNo = (value: boolean): string => (value ? "yes" : "no")
