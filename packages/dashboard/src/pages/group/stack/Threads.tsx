/** The threads of a report. Those that matter are open, and the stacks of the others are not rendered. */
import type { ReportDetail } from "@errata/api/promise"
import type { Thread } from "@errata/core/event"
import { useState } from "preact/hooks"
import { cut, line } from "../../../text/SafeText.js"
import { FrameList } from "./FrameList.js"

export const Threads = ({ report }: { readonly report: ReportDetail }) => {
  const threads = (report.threads as unknown as ReadonlyArray<Thread>).filter(
    ({ frames }) => frames?.length > 0,
  )
  const main =
    threads.find(({ crashed }) => crashed === true) ??
    threads.find(({ current }) => current === true) ??
    threads[0]
  if (threads.length === 0) return <p class="nothing">No thread has a stack trace.</p>
  return (
    <>
      {threads.map((thread, i) => (
        <ThreadView
          key={i}
          thread={thread}
          name={thread.name || `Thread ${thread.id ?? i}`}
          isMain={thread === main}
        />
      ))}
    </>
  )
}

// internal

const ThreadView = ({
  isMain,
  name,
  thread,
}: {
  readonly thread: Thread
  readonly name: string
  readonly isMain: boolean
}) => {
  const [isOpen, setOpen] = useState(isMain)
  return (
    <div class="exception">
      <h3 class="exception-title">
        <button type="button" class="frame-line" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          <span class="caret" aria-hidden="true" />
          {line(cut(name, 200))}
          {thread.crashed === true && <span class="chip bad">crashed</span>}
          {thread.current === true && <span class="chip">current</span>}
          {thread.state !== undefined && <span class="chip">{line(cut(String(thread.state), 60))}</span>}
        </button>
      </h3>
      {isOpen && <FrameList frames={thread.frames} />}
    </div>
  )
}
