/** One rule: its editor beside its dry run. */
import type { AlertRule } from "@errata/api/promise"
import type { ComponentChildren } from "preact"
import { useState } from "preact/hooks"
import { useLocation } from "preact-iso/router"
import { createRule, deleteRule, fieldsOf, type RuleFields, updateRule } from "../../data/alerts.js"
import { notify } from "../../data/notices.js"
import { href } from "../../data/root.js"
import { Confirm } from "../../parts/Confirm.js"
import { useForm } from "../../parts/Form.js"
import { Card } from "../../parts/Loaded.js"
import { nameOf } from "../../text/Names.js"
import { RuleForm } from "./RuleForm.js"
import { ruleLabels } from "./RuleParts.js"
import { draftOf, newRule, ruleOf } from "./ruleDraft.js"

export const RulePage = ({
  rule,
  projectId,
  back,
  note,
  children,
}: {
  /** Null for a new one. */
  readonly rule: AlertRule | null
  /** Null for a default rule. */
  readonly projectId: number | null
  /** The path of the list of rules. */
  readonly back: string
  readonly note?: ComponentChildren
  /** The dry run. */
  readonly children: (rule: RuleFields) => ComponentChildren
}) => {
  const { route } = useLocation()
  const form = useForm(ruleLabels)
  const [draft, setDraft] = useState(() => draftOf(rule === null ? newRule : fieldsOf(rule)))
  const [isDeleting, setDeleting] = useState(false)
  const save = async (fields: RuleFields) => {
    if (rule === null) await createRule(projectId, fields)
    else await updateRule(rule, fields)
    notify(rule === null ? `Added the rule ${nameOf(fields)}.` : `Saved the rule ${nameOf(fields)}.`)
    route(href(back))
  }
  return (
    <>
      {note}
      <div class="editor">
        <Card
          title="Rule"
          actions={
            rule !== null && (
              <button type="button" class="danger" onClick={() => setDeleting(true)}>
                Delete…
              </button>
            )
          }
        >
          <RuleForm
            form={form}
            draft={draft}
            change={(changes) => setDraft((draft) => ({ ...draft, ...changes }))}
            projectId={projectId}
            back={back}
            onSubmit={save}
          />
        </Card>
        {children(ruleOf(draft))}
      </div>
      {isDeleting && rule !== null && (
        <Confirm
          title={`Delete the rule ${nameOf(rule)}?`}
          action="Delete rule"
          run={() => deleteRule(rule)}
          onClose={(isDone) => {
            setDeleting(false)
            if (!isDone) return
            notify(`Deleted the rule ${nameOf(rule)}.`)
            route(href(back))
          }}
        >
          {() => (
            <p>
              The rule notifies about nothing from now on.
              {projectId !== null &&
                " Without its last rule, a project follows the default rules of the instance again."}
            </p>
          )}
        </Confirm>
      )}
    </>
  )
}
