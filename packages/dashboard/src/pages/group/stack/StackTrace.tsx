/** The exceptions of a report with their stacks, as its card: in-app or all frames, in either order, or as plain text. */

import type { ReportDetail } from "@errata/api/promise"
import type { Frame } from "@errata/core/event"
import type { ComponentChildren } from "preact"
import { api } from "../../../data/client.js"
import { useQuery } from "../../../data/query.js"
import { CopyButton } from "../../../parts/CopyButton.js"
import { Problem } from "../../../parts/Problem.js"
import { Text } from "../../../parts/Text.js"
import { Toggle } from "../../../parts/Toggle.js"
import { cut, line } from "../../../text/SafeText.js"
import { flip, stackFrames, stackOrder, stackRaw, stackWrap } from "../choices.js"
import { FrameList } from "./FrameList.js"
import { exceptionText, rawText } from "./RawStack.js"

export const StackTrace = ({ report }: { readonly report: ReportDetail }) => {
  const { exceptions, platform } = report
  const order = stackOrder.value
  if (exceptions.length === 0) return null
  const chain = order === "newest" ? [...exceptions].reverse() : exceptions
  return (
    <section class="card" aria-labelledby="stack-title">
      <div class="card-head">
        <h2 id="stack-title">Stack trace</h2>
        <span class="grow" />
        <StackTools />
        <CopyButton label="Copy the stack trace" text={() => rawText(asRaw(exceptions), platform, order)} />
      </div>
      {stackRaw.value === "on" ? (
        <Raw report={report} />
      ) : (
        chain.map((exception, i) => (
          <div key={i} class="exception">
            {!(exceptions.length === 1 && isTitle(report)) && (
              <ExceptionTitle
                exception={exception}
                relation={
                  exceptions.length === 1
                    ? ""
                    : order === "newest" && i > 0
                      ? "Caused by"
                      : order === "oldest" && i > 0
                        ? "Led to"
                        : ""
                }
              >
                <CopyButton
                  label={`Copy ${line(cut(exception.type ?? "the exception", 100))}`}
                  text={() => exceptionText(asRaw([exception])[0]!, platform, order)}
                />
              </ExceptionTitle>
            )}
            <FrameList frames={exception.frames as ReadonlyArray<Frame>} />
          </div>
        ))
      )}
    </section>
  )
}

export const StackTools = () => (
  <>
    <Toggle
      isPressed={stackFrames.value === "all"}
      onClick={() => flip(stackFrames, "in-app", "all")}
      title="Show all frames (f)"
    >
      all frames
    </Toggle>
    <Toggle
      isPressed={stackOrder.value === "oldest"}
      onClick={() => flip(stackOrder, "newest", "oldest")}
      title="Show the outermost call first"
    >
      oldest first
    </Toggle>
    <Toggle
      isPressed={stackWrap.value === "on"}
      onClick={() => flip(stackWrap, "off", "on")}
      title="Wrap long lines (w)"
    >
      wrap
    </Toggle>
    <Toggle
      isPressed={stackRaw.value === "on"}
      onClick={() => flip(stackRaw, "off", "on")}
      title="Show as text (R)"
    >
      raw
    </Toggle>
  </>
)

// internal

/** Returns true if the title already contains the only exception. */
const isTitle = ({ error_message, error_type, exceptions: [only] }: ReportDetail): boolean =>
  only?.type === error_type && only.value === error_message

const asRaw = (exceptions: ReportDetail["exceptions"]) =>
  exceptions.map(({ frames, type, value }) => ({ type, value, frames: frames as ReadonlyArray<Frame> }))

const ExceptionTitle = ({
  children,
  exception: { handled, mechanism, module, type, value },
  relation,
}: {
  readonly children: ComponentChildren
  readonly exception: ReportDetail["exceptions"][number]
  readonly relation: string
}) => {
  const mechanismType = mechanism?.["type"]
  return (
    <div class="exception-head">
      <h3 class="exception-title">
        {relation !== "" && <span class="faint">{relation} </span>}
        <b>
          <Text value={type ?? "Error"} max={300} />
        </b>
        {module !== null && module !== "" && <span class="faint"> {line(cut(module, 200))}</span>}
      </h3>
      {handled !== null && (
        <span class={handled ? "chip" : "chip bad"}>{handled ? "handled" : "unhandled"}</span>
      )}
      {typeof mechanismType === "string" && <span class="chip">{line(cut(mechanismType, 60))}</span>}
      <span class="grow" />
      {children}
      {value !== null && value !== "" && (
        <p class="exception-value">
          <Text value={value} />
        </p>
      )}
    </div>
  )
}

/** The stack as text, with unmapped frames. */
const Raw = ({ report }: { readonly report: ReportDetail }) => {
  const isMapped = report.sourcemap_status === "resolved"
  const { data, error } = useQuery({
    queryKey: ["report", report.project_id, report.group_id, report.id, "raw"],
    queryFn: ({ signal }) =>
      api.reports.get(report.project_id, report.group_id, report.id, { frames: "raw" }, { signal }),
    enabled: isMapped,
    staleTime: Number.POSITIVE_INFINITY,
  })
  if (error !== null) return <Problem title="The frames as received could not be loaded." error={error} />
  const shown = isMapped ? data : report
  return (
    <pre
      class={stackWrap.value === "on" ? "raw wrap" : "raw"}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: long lines scroll, with arrow keys, too.
      tabIndex={0}
    >
      {shown === undefined ? "…" : rawText(asRaw(shown.exceptions), shown.platform, stackOrder.value)}
    </pre>
  )
}
