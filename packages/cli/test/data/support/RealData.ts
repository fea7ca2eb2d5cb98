/** Events and envelopes: the project's own samples, and real ones from a folder outside the repository. */
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join, resolve } from "node:path"

export type Fields = Readonly<Record<string, unknown>>

export interface Sample<A> {
  /** Folder and file, e.g. `events/sentry/actix.json`. */
  readonly name: string
  readonly data: A
}

const root = resolve(import.meta.dirname, "../../../../../../shared/data")

export const isThere = existsSync(root)
if (!isThere) process.stderr.write(`Our own samples only through a running server; ${root} is not there\n`)

const samples = resolve(import.meta.dirname, "../../../../../test/samples")

/** All available events, our own first. */
export const allEvents = (): ReadonlyArray<Sample<Fields>> => [
  ...read("events", [".json"], samples).map(parse),
  ...events(),
]

/** Our own envelopes. All are accepted except the truncated one. */
export const ownEnvelopes = (): ReadonlyArray<Sample<Buffer>> => read("envelopes", [".txt"], samples)

const eventFolders = ["events/bugsink", "events/glitchtip", "events/sentry", "paired/incoming_events"]

export const events = (folders = eventFolders): ReadonlyArray<Sample<Fields>> =>
  folders.flatMap((folder) => read(folder, [".json"])).map(parse)

/** Responses of another tracker, by the name of the event's file. */
export const answers = (): ReadonlyMap<string, Fields> =>
  new Map(
    read("paired/oss_sentry_events", [".json"]).map((sample) => {
      const { name, data } = parse(sample)
      return [baseName(name), data]
    }),
  )

export const envelopes = (): ReadonlyArray<Sample<Buffer>> => read("envelopes", [".txt", ".bin"])

export const baseName = (name: string): string => name.slice(name.lastIndexOf("/") + 1)

// internal

const read = (
  folder: string,
  endings: ReadonlyArray<string>,
  within = root,
): ReadonlyArray<Sample<Buffer>> =>
  existsSync(within)
    ? readdirSync(join(within, folder))
        .filter((file) => endings.some((ending) => file.endsWith(ending)))
        .sort()
        .map((file) => ({ name: `${folder}/${file}`, data: readFileSync(join(within, folder, file)) }))
    : []

const parse = ({ data, name }: Sample<Buffer>): Sample<Fields> => ({
  name,
  data: JSON.parse(data.toString()),
})
