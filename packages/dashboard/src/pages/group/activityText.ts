/** Notes by Errata for readers: user ids become names, and timestamps become times. */
import { dateTime, type Zone } from "../../text/Times.js"

/** Returns the text of an automated note. */
export const activityText = (
  content: string,
  nameOf: (userId: number) => string | null | undefined,
  zone: Zone = "local",
): string =>
  content
    .replace(/^(Assigned to|An earlier group .* by) user (\d+)$/, (all, text: string, id: string) => {
      const name = nameOf(Number(id))
      return name == null ? all : `${text} ${name}`
    })
    .replace(
      /^Muted until (\d{4}-\d\d-\d\dT[\d:.]+Z)$/,
      (_, iso: string) => `Muted until ${dateTime(iso, zone)}`,
    )

/** A piece of an automated note: text, or the id of another group. */
export type Mention = { readonly text: string; readonly groupId: number | null }

/** Splits an automated note at the groups that it names. */
export const mentions = (content: string): ReadonlyArray<Mention> => {
  const named =
    /^(?:Merged with groups? |Unmerged from group |May be the same error as group )([\d, ]+)/.exec(content)
  if (named === null) return [{ text: content, groupId: null }]
  const start = named[0].length - named[1]!.length
  const pieces: Array<Mention> = [{ text: content.slice(0, start), groupId: null }]
  for (const piece of named[1]!.split(/(\d+)/)) {
    if (piece !== "") pieces.push({ text: piece, groupId: /^\d+$/.test(piece) ? Number(piece) : null })
  }
  const rest = content.slice(named[0].length)
  return rest === "" ? pieces : [...pieces, { text: rest, groupId: null }]
}
