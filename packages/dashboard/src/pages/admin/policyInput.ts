/** Reads the forms of policies. */

/** Parses a number with optional separators. Returns NaN for other texts, which the server rejects. */
export const wholeNumber = (text: string): number => {
  const digits = text.replaceAll(/[\s,_]/g, "")
  return /^-?\d+$/.test(digits) ? Number(digits) : Number.NaN
}

/** Returns the fields of a policy from a form that has all of them: switches, numbers and choices. */
export const policyOf = (
  fields: FormData,
  names: {
    readonly switches: ReadonlyArray<string>
    readonly numbers: ReadonlyArray<string>
    readonly choices?: ReadonlyArray<string>
  },
): Readonly<Record<string, boolean | number | string>> => {
  const text = (name: string) => String(fields.get(name) ?? "")
  return Object.fromEntries([
    // A form has the boxes that are ticked.
    ...names.switches.map((name) => [name, fields.has(name)] as const),
    ...names.numbers.map((name) => [name, wholeNumber(text(name))] as const),
    ...(names.choices ?? []).map((name) => [name, text(name)] as const),
  ])
}
