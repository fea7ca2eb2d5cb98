/** The details of a report besides its stack, as collapsed sections with a count and a summary. */
import type { GroupDetail, ReportDetail } from "@errata/api/promise"
import type { ComponentChildren } from "preact"
import { CopyButton } from "../../parts/CopyButton.js"
import { Section } from "../../parts/Section.js"
import { Text } from "../../parts/Text.js"
import { Pairs, pairsOf, Value } from "../../parts/Value.js"
import { isWebAddress } from "../../text/SafeText.js"
import { Attachments } from "./Attachments.js"
import { Threads } from "./stack/Threads.js"
import { TagTable } from "./TagTable.js"

interface Props {
  readonly report: ReportDetail
  /** Undefined until it is loaded. */
  readonly group: GroupDetail | undefined
}

export const Sections = ({ group, report }: Props) => (
  <>
    <Request report={report} />
    <User report={report} />
    <Tags report={report} />
    <Contexts report={report} />
    {report.extras.length > 0 && (
      <Section
        title="Extra"
        count={report.extras.length}
        summary={namesOf(report.extras.map(({ key }) => key))}
      >
        {() => (
          <CopiedPairs what="the extra data" pairs={report.extras.map(({ key, value }) => [key, value])} />
        )}
      </Section>
    )}
    {report.exceptions.length > 0 && report.threads.length > 0 && (
      <Section title="Threads" count={report.threads.length}>
        {() => <Threads report={report} />}
      </Section>
    )}
    {report.dependencies.length > 0 && (
      <Section
        title="Packages"
        count={report.dependencies.length}
        summary={namesOf(report.dependencies.map(({ name }) => name))}
      >
        {() => <Pairs pairs={report.dependencies.map(({ name, version }) => [name, version])} />}
      </Section>
    )}
    {report.debug_images.length > 0 && (
      <Section title="Loaded binaries" count={report.debug_images.length}>
        {() => (
          <Pairs
            pairs={report.debug_images.map((image) => [
              String(image["code_file"] ?? image["type"] ?? ""),
              image,
            ])}
          />
        )}
      </Section>
    )}
    <About report={report} />
    {group !== undefined && <Grouping group={group} report={report} />}
    <Attachments report={report} />
    {report.ingest_truncations.length > 0 && (
      <Section
        title="Truncated"
        count={report.ingest_truncations.length}
        summary={report.ingest_truncations.join(", ")}
      >
        {() => (
          <>
            <p>The event was larger than the limits of the server. These parts were cut:</p>
            <ul>
              {report.ingest_truncations.map((text) => (
                <li key={text}>
                  <Text value={text} />
                </li>
              ))}
            </ul>
          </>
        )}
      </Section>
    )}
  </>
)

// internal

/** Content with a button that copies it. The button is shown on hover and focus. */
const Copied = ({
  children,
  text,
  what,
}: {
  /** Names the content in the label of the button. */
  readonly what: string
  readonly text: () => string
  readonly children: ComponentChildren
}) => (
  <div class="source-block">
    {children}
    <CopyButton label={`Copy ${what}`} text={text} />
  </div>
)

type PairList = Parameters<typeof Pairs>[0]["pairs"]

const CopiedPairs = ({ pairs, what }: { readonly what: string; readonly pairs: PairList }) => (
  <Copied what={what} text={() => textOf(pairs)}>
    <Pairs pairs={pairs} />
  </Copied>
)

/** One line for each pair. */
const textOf = (pairs: PairList): string =>
  pairs
    .map(([name, value]) => `${name}: ${typeof value === "string" ? value : JSON.stringify(value)}`)
    .join("\n")

const namesOf = (names: ReadonlyArray<string>): string => names.slice(0, 8).join(", ")

const Request = ({ report: { request } }: { readonly report: ReportDetail }) => {
  const { cookies, data, env, headers, method, query_string: query, url } = request
  const parts = [
    ["Headers", headers],
    ["Query", query],
    ["Body", data],
    ["Cookies", cookies],
    ["Environment", env],
  ] as const
  const filled = parts.filter(([, part]) =>
    typeof part === "string" ? part !== "" : Object.keys(part).length > 0,
  )
  if (url === "" && method === "" && filled.length === 0) return null
  return (
    <Section title="Request" summary={`${method} ${url}`.trim()}>
      {() => (
        <>
          <p class="request-line">
            <b>{method}</b>{" "}
            {isWebAddress(url) ? (
              <a href={url} target="_blank" rel="noreferrer noopener">
                <Text value={url} />
              </a>
            ) : (
              <Text value={url} />
            )}{" "}
            <CopyButton label="Copy the address" text={url} />
          </p>
          {filled.map(([title, part]) => (
            <div key={title}>
              <h3>{title}</h3>
              {typeof part === "string" ? (
                <Copied what={title} text={() => part}>
                  <Value value={part} />
                </Copied>
              ) : (
                <CopiedPairs what={title} pairs={Object.entries(part)} />
              )}
            </div>
          ))}
        </>
      )}
    </Section>
  )
}

const User = ({ report: { user } }: { readonly report: ReportDetail }) => {
  const { data, ...fields } = user
  const names = { user_id: "Id", username: "Name", email: "Email", ip_address: "IP address" } as const
  const known = (Object.keys(names) as ReadonlyArray<keyof typeof names>).filter(
    (name) => fields[name] !== "",
  )
  const place = [fields.geo_city, fields.geo_region, fields.geo_country_code].filter(Boolean).join(", ")
  if (known.length === 0 && place === "" && Object.keys(data).length === 0) return null
  return (
    <Section title="User" summary={known.map((name) => fields[name]).join(" · ")}>
      {() => (
        <CopiedPairs
          what="the user"
          pairs={[
            ...known.map((name) => [names[name], fields[name]] as const),
            ...(place === "" ? [] : [["Place", place] as const]),
            ...Object.entries(data),
          ]}
        />
      )}
    </Section>
  )
}

const Tags = ({ report }: { readonly report: ReportDetail }) => {
  if (report.tags.length === 0) return null
  return (
    <Section
      title="Tags"
      count={report.tags.length}
      summary={report.tags
        .slice(0, 5)
        .map(({ key, value }) => `${key}: ${value}`)
        .join(" · ")}
    >
      {() => (
        <Copied what="the tags" text={() => textOf(report.tags.map(({ key, value }) => [key, value]))}>
          <TagTable projectId={report.project_id} tags={report.tags} />
        </Copied>
      )}
    </Section>
  )
}

const Contexts = ({ report: { contexts } }: { readonly report: ReportDetail }) => {
  if (contexts.length === 0) return null
  return (
    <Section title="Contexts" count={contexts.length} summary={namesOf(contexts.map(({ name }) => name))}>
      {() =>
        contexts.map(({ data, name }) => (
          <div key={name}>
            <h3>
              <Text value={name} max={200} />
            </h3>
            <CopiedPairs what={name} pairs={pairsOf(data)} />
          </div>
        ))
      }
    </Section>
  )
}

/** The SDK, and the names that the application gave the event. */
const About = ({ report }: { readonly report: ReportDetail }) => {
  const { name, version } = report.sdk
  const pairs = [
    ["SDK", `${name} ${version}`.trim()],
    ["Platform", report.platform],
    ["Event", report.event_id ?? ""],
    ["Transaction", report.transaction],
    ["Logger", report.logger],
    ["Release", report.release_version],
    ["Distribution", report.dist],
    ["Environment", report.environment],
    ["Server", report.server_name],
  ] as const
  return (
    <Section title="SDK and event" summary={`${name} ${version}`.trim()}>
      {() => <Pairs pairs={pairs.filter(([, value]) => value !== "")} />}
    </Section>
  )
}

const Grouping = ({ group, report }: { readonly group: GroupDetail; readonly report: ReportDetail }) => {
  const { data } = group.grouping
  return (
    <Section title="Grouped by" summary={methods[data.method]}>
      {() => (
        <Pairs
          pairs={[
            ["Method", methods[data.method]],
            ...Object.entries(data)
              .filter(([name]) => name !== "method")
              .map(([name, value]) => [name, Array.isArray(value) ? value.join("\n") : value] as const),
            ...(report.custom_fingerprint === null
              ? []
              : [["Fingerprint of the application", report.custom_fingerprint.join("\n")] as const]),
            ["Key", group.fingerprint],
          ]}
        />
      )}
    </Section>
  )
}

const methods = {
  exception: "Type and message of the exception",
  backtrace: "Frames of the stack",
  message: "The message",
  custom: "Fingerprint set by the application",
  ungroupable: "Not grouped: each report is a group of its own",
} as const
