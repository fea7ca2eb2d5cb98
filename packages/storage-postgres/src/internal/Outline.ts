/**
 * The outline of an event: the event with most values emptied. Keys come from the lists below, and values are names, versions and code. So
 * it says nothing about a person.
 */

/** Returns the outline of a JSON value. */
type Outline = (value: unknown) => unknown

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const empty: Outline = (value) => {
  if (typeof value === "string") return ""
  if (typeof value === "number") return 0
  if (typeof value === "boolean") return false
  return Array.isArray(value) ? [] : isObject(value) ? {} : null
}

/** Keeps texts that match, besides numbers and booleans. */
const matching =
  (pattern: RegExp): Outline =>
  (value) =>
    (
      typeof value === "string"
        ? pattern.test(value)
        : typeof value === "number" || typeof value === "boolean"
    )
      ? value
      : empty(value)

/** The name of a class, a platform or an environment. Addresses of mails are none. */
const token = matching(/^[\w.$:<>/\\+~^*-]{1,100}$/)

/** A version, or the name of a package. */
const version = matching(/^[\w.:@/+~^*-]{1,100}$/)

/** The name of a function, which may have spaces. */
const name = matching(/^[^@?#=&\n]{1,200}$/)

/** A line of code. Longer ones are minified. */
const code = matching(/^.{0,200}$/)

const scripts =
  /^node:[\w/.-]+$|\.(?:[cm]?[jt]sx?|vue|svelte|py|rb|php|java|kts?|scala|groovy|clj|cs|fs|vb|go|rs|cc?|cpp|hpp?|mm?|swift|dart|exs?|erl|lua|p[lm]|so|dll|dylib|exe|jar|wasm)$/i

/** A path of code, without a query and without the name of a user. Other paths are pages, and empty. */
const path: Outline = (value) => {
  if (typeof value !== "string") return empty(value)
  const clean = value.replace(/[?#].*$/s, "").replace(/([\\/](?:Users|home)[\\/])[^\\/]+/gi, "$1")
  return clean.length <= 300 && scripts.test(clean) ? clean : ""
}

/** Keeps the listed fields, in the order of the object. */
const fields =
  (kept: Readonly<Record<string, Outline>>): Outline =>
  (value) =>
    isObject(value)
      ? Object.fromEntries(
          Object.entries(value).flatMap(([key, own]) =>
            Object.hasOwn(kept, key) ? [[key, kept[key]!(own)]] : [],
          ),
        )
      : empty(value)

/** Applies to each item of a list, or to a single value. */
const each =
  (item: Outline): Outline =>
  (value) =>
    Array.isArray(value) ? value.slice(0, maxItems).map(item) : item(value)

const maxItems = 300

const all = (outline: Outline, keys: string): Readonly<Record<string, Outline>> =>
  Object.fromEntries(keys.split(" ").map((key) => [key, outline]))

/** Names with versions. */
const versions: Outline = (value) =>
  isObject(value)
    ? Object.fromEntries(
        Object.entries(value)
          .slice(0, maxItems)
          .filter(([key, own]) => key === version(key) && typeof own === "string" && own === version(own)),
      )
    : empty(value)

const place = {
  ...all(path, "filename abs_path package"),
  ...all(name, "module function"),
  ...all(token, "lineno colno in_app platform"),
  ...all(empty, "vars instruction_addr symbol_addr image_addr addr_mode"),
}
const lines = { context_line: code, pre_context: each(code), post_context: each(code) }
const frameOfPage = fields({ ...place, ...all(empty, "context_line pre_context post_context") })
const frameOfScript = fields({ ...place, ...lines })

/** The lines of a page contain its data. */
const frame: Outline = (value) => {
  const isScript = isObject(value) && path(value.filename ?? value.abs_path) !== ""
  return (isScript ? frameOfScript : frameOfPage)(value)
}

const stack = { stacktrace: fields({ frames: each(frame) }) }
const exception = {
  ...stack,
  ...all(token, "type module thread_id"),
  ...all(empty, "value"),
  mechanism: fields({
    ...all(token, "type handled synthetic"),
    ...all(empty, "data meta exception_id parent_id source"),
  }),
}
const thread = { ...stack, ...all(token, "id crashed current main state"), ...all(empty, "name") }
const breadcrumb = {
  ...all(token, "type category level"),
  ...all(empty, "timestamp message event_id"),
  data: fields(all(empty, "url method status_code arguments logger from to reason __span")),
}
const listed = (item: Readonly<Record<string, Outline>>) =>
  each(fields({ ...item, values: each(fields(item)) }))

const contexts = fields({
  runtime: fields(all(token, "name version type")),
  os: fields({
    ...all(token, "name version build type"),
    ...all(empty, "kernel_version rooted raw_description"),
  }),
  browser: fields(all(token, "name version type")),
  app: fields({
    ...all(token, "app_name app_version app_build app_identifier build_type type"),
    ...all(empty, "app_start_time app_memory free_memory device_app_hash in_foreground"),
  }),
  device: fields({
    ...all(token, "family model model_id manufacturer brand arch type"),
    ...all(empty, "name boot_time memory_size free_memory usable_memory storage_size free_storage"),
    ...all(
      empty,
      "processor_count cpu_description processor_frequency orientation battery_level charging online",
    ),
    ...all(empty, "simulator low_memory screen_resolution screen_density screen_dpi timezone"),
  }),
  trace: fields({
    ...all(empty, "trace_id span_id parent_span_id data"),
    ...all(token, "op status origin type"),
  }),
  ...all(empty, "culture cloud_resource response"),
})

/** The outline of an event, or of the header of an envelope or item. */
export const outlineOf: (document: unknown) => unknown = fields({
  ...all(token, "type platform level logger environment"),
  ...all(version, "release dist"),
  ...all(
    empty,
    "event_id timestamp sent_at server_name transaction message culprit fingerprint tags extra dsn length",
  ),
  ...all(empty, "content_type trace"),
  logentry: fields(all(empty, "message formatted params")),
  sdk: fields({
    ...all(token, "name version"),
    integrations: each(token),
    packages: each(fields(all(version, "name version"))),
  }),
  modules: versions,
  contexts,
  user: fields(all(empty, "id username email ip_address name geo")),
  request: fields({
    method: token,
    ...all(empty, "url query_string data cookies env"),
    headers: fields(
      all(
        empty,
        "Host host User-Agent user-agent Accept accept Accept-Encoding accept-encoding Accept-Language accept-language Cookie cookie " +
          "Referer referer Connection connection Content-Type content-type Content-Length content-length",
      ),
    ),
  }),
  ...stack,
  threads: listed(thread),
  exception: listed(exception),
  breadcrumbs: listed(breadcrumb),
  debug_meta: fields({
    images: each(
      fields({
        ...all(token, "type debug_id code_id arch image_size"),
        ...all(path, "code_file debug_file"),
        ...all(empty, "image_addr"),
      }),
    ),
  }),
})
