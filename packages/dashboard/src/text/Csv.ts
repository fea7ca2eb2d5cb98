/** CSV as RFC 4180 has it, with texts of strangers that no spreadsheet runs as formulas. */

/** Returns the lines of a file. The first row has the names of the columns. */
export const csvOf = (rows: ReadonlyArray<ReadonlyArray<string | number>>): string =>
  rows.map((row) => `${row.map(cellOf).join(",")}\r\n`).join("")

// internal

const cellOf = (value: string | number): string => {
  const text = String(value)
  const safe = /^[=+\-@\t\r\n]/.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
