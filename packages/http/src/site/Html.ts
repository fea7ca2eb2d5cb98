/** HTML templates that escape every interpolated value. */

/** A piece of markup. Only `html` makes them. */
export class Html {
  private constructor(readonly text: string) {}

  static of(strings: TemplateStringsArray, values: ReadonlyArray<HtmlValue>): Html {
    let text = strings[0] ?? ""
    for (let at = 0; at < values.length; at++) text += textOf(values[at]) + (strings[at + 1] ?? "")
    return new Html(text)
  }
}

/** Texts and numbers are escaped, for elements and for attributes in quotes; null and false are nothing. */
export type HtmlValue = Html | string | number | null | undefined | false | ReadonlyArray<HtmlValue>

export const html = (strings: TemplateStringsArray, ...values: ReadonlyArray<HtmlValue>): Html =>
  Html.of(strings, values)

export const escaped = (text: string): string =>
  text.replace(/[&<>"'`]/g, (character) => `&#${character.charCodeAt(0)};`)

// internal

const textOf = (value: HtmlValue): string => {
  if (value === null || value === undefined || value === false) return ""
  if (value instanceof Html) return value.text
  if (typeof value === "string") return escaped(value)
  return typeof value === "number" ? String(value) : value.map(textOf).join("")
}
