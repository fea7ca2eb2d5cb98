import { useCan } from "../../data/me.js"
import { notify } from "../../data/notices.js"
import { hostedSourcemapsQuery, retentionQuery, updateHostedSourcemaps } from "../../data/policies.js"
import { useQuery } from "../../data/query.js"
import { Card, Loaded } from "../../parts/Loaded.js"
import { SavedSwitch } from "../../parts/SavedSwitch.js"
import { RetentionForm } from "./RetentionForm.js"
import { RetentionRuns } from "./RetentionRuns.js"

export const RetentionPage = () => {
  const errors = useQuery(retentionQuery("errors"))
  const artifacts = useQuery(retentionQuery("artifacts"))
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
  const policy = useQuery(hostedSourcemapsQuery)
  const mayChange = useCan("policies.administer")
  const save = async (enabled: boolean) => {
    await updateHostedSourcemaps(enabled)
    notify(
      enabled ? "Errata fetches source maps from allowed origins." : "Errata no longer fetches source maps.",
    )
  }
  return (
    <Card title="Hosted source maps">
      <div class="card-body">
        <Loaded query={policy} name="setting" rows={1}>
          {({ enabled }) => (
            <SavedSwitch
              label="Fetch source maps from allowed origins"
              hint="The settings of each project list its origins. This switch stops all of them."
              isOn={enabled}
              isDisabled={!mayChange}
              save={save}
              refetch={policy.refetch}
            />
          )}
        </Loaded>
      </div>
    </Card>
  )
}
