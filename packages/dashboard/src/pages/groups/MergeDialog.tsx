import { useState } from "preact/hooks"
import { describe } from "../../data/failure.js"
import { fetchGroup, type Row } from "../../data/groups.js"
import { merge } from "../../data/triage.js"
import { Dialog } from "../../parts/Dialog.js"
import { ErrorTitle } from "../../parts/ErrorTitle.js"
import { Severity } from "../../parts/Severity.js"
import { counted } from "../../text/Numbers.js"
import { groupIn } from "./PastedGroup.js"
import "../../styles/merge.css"

/** Merges the ticked groups into one of them, or into another group that the reader names by its link or number. */
export const MergeDialog = ({
  groups,
  onClose,
  onMerged,
}: {
  readonly groups: ReadonlyArray<Row>
  readonly onMerged: (target: Row) => void
  readonly onClose: () => void
}) => {
  const [others, setOthers] = useState<ReadonlyArray<Row>>([])
  const [targetId, setTargetId] = useState(
    () => [...groups].sort((a, b) => b.reports_count - a.reports_count)[0]?.id,
  )
  const [problem, setProblem] = useState<string | null>(null)
  const projectId = groups[0]?.project_id ?? 0
  const candidates = [...groups, ...others]
  const target = candidates.find(({ id }) => id === targetId)
  const sources = groups.filter(({ id }) => id !== targetId)

  const find = async (text: string) => {
    const ref = groupIn(text, projectId)
    if (ref === null) return setProblem("Enter the number of a group or the address of its page.")
    if (ref.project_id !== projectId) return setProblem("Only groups of the same project can be merged.")
    try {
      const row = await fetchGroup(ref)
      setProblem(null)
      if (!candidates.some(({ id }) => id === row.id)) setOthers([...others, row])
      setTargetId(row.id)
    } catch (error) {
      setProblem(describe(error))
    }
  }
  if (groups.some(({ project_id }) => project_id !== projectId)) return <SeveralProjects onClose={onClose} />
  return (
    <Dialog title="Merge groups" class="merge" onClose={onClose}>
      <fieldset>
        <legend>Which group receives the reports?</legend>
        {candidates.map((row) => (
          <label key={row.id}>
            <input
              type="radio"
              name="target"
              checked={row.id === targetId}
              onChange={() => setTargetId(row.id)}
            />
            <Severity value={row.severity} />
            <span>
              <ErrorTitle of={row} />
            </span>
            <span class="faint num">
              #{row.id} · {counted(row.reports_count, "report")}
            </span>
          </label>
        ))}
      </fieldset>
      <form
        class="other"
        onSubmit={(event) => {
          event.preventDefault()
          void find(new FormData(event.currentTarget).get("group") as string)
        }}
      >
        <label for="merge-other">Another group, by its link or number</label>
        <div>
          <input
            id="merge-other"
            name="group"
            type="text"
            autocomplete="off"
            aria-describedby="merge-problem"
          />
          <button type="submit">Find</button>
        </div>
        <p id="merge-problem" role="status">
          {problem}
        </p>
      </form>
      <footer>
        <button type="button" onClick={onClose}>
          Cancel
        </button>
        <button
          type="button"
          class="primary"
          disabled={target === undefined || sources.length === 0}
          onClick={async () => {
            if (target === undefined) return
            onClose()
            if (await merge(target, sources)) onMerged(target)
          }}
        >
          {sources.length === 0 || target === undefined
            ? "Choose another group"
            : `Merge ${counted(sources.length, "group")} into #${target.id}`}
        </button>
      </footer>
    </Dialog>
  )
}

// internal

const SeveralProjects = ({ onClose }: { readonly onClose: () => void }) => (
  <Dialog title="Merge groups" onClose={onClose}>
    <p>The selected groups belong to several projects. Only groups of the same project can be merged.</p>
    <footer>
      <button type="button" onClick={onClose}>
        Close
      </button>
    </footer>
  </Dialog>
)
