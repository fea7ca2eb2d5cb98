/** How long data is kept. */
import type { HostedSourcemaps } from "@errata/api/promise"
import { useState } from "preact/hooks"
import { useCan } from "../../data/me.js"
import { notify, notifyFailure } from "../../data/notices.js"
import {
  hostedSourcemapsQuery,
  type Retention,
  retentionQuery,
  updateHostedSourcemaps,
} from "../../data/policies.js"
import { useQuery } from "../../data/query.js"
import { Card, Loaded } from "../settings/Loaded.js"
import { RetentionForm } from "./RetentionForm.js"
import { RetentionRuns } from "./RetentionRuns.js"

export const RetentionPage = () => {
  const errors = useQuery<Retention>(retentionQuery("errors"))
  const artifacts = useQuery<Retention>(retentionQuery("artifacts"))
  return (
    <>
      <p class="lead">
        Errata deletes old data every night, by these rules. Deleted data cannot be restored.
      </p>
      <Card title="Reports">
        <Loaded query={errors} name="rules">
          {(policy) => <RetentionForm kind="errors" policy={policy} />}
        </Loaded>
      </Card>
      <Card title="Source maps and other artifacts">
        <Loaded query={artifacts} name="rules">
          {(policy) => <RetentionForm kind="artifacts" policy={policy} />}
        </Loaded>
      </Card>
      <RetentionRuns />
      <Hosted />
    </>
  )
}

// internal

const Hosted = () => {
  const policy = useQuery<HostedSourcemaps>(hostedSourcemapsQuery)
  const mayChange = useCan("policies.administer")
  const [isBusy, setBusy] = useState(false)
  const save = async (enabled: boolean) => {
    setBusy(true)
    try {
      await updateHostedSourcemaps(enabled)
      notify(
        enabled
          ? "Errata fetches source maps from allowed origins."
          : "Errata no longer fetches source maps.",
      )
    } catch (error) {
      notifyFailure("The setting was not changed.", error)
      await policy.refetch()
    }
    setBusy(false)
  }
  return (
    <Card title="Hosted source maps">
      <div class="card-body">
        <Loaded query={policy} name="setting" rows={1}>
          {({ enabled }) => (
            <label class="choice">
              <input
                type="checkbox"
                checked={enabled}
                disabled={!mayChange}
                aria-busy={isBusy}
                onChange={({ currentTarget }) => void save(currentTarget.checked)}
              />
              <span>
                Fetch source maps from allowed origins
                <span class="faint">
                  The settings of each project list its origins. This switch stops all of them.
                </span>
              </span>
            </label>
          )}
        </Loaded>
      </div>
    </Card>
  )
}
