import { useProjects } from "../../data/projects.js"
import { useQuery } from "../../data/query.js"
import { troubledTargetsQuery } from "../../data/targets.js"
import { Link } from "../../parts/Link.js"
import { Card, Loaded } from "../../parts/Loaded.js"
import { nameOf } from "../../text/Names.js"
import { TargetProblem, TargetState } from "./Targets.js"

export const TroubledTargets = ({
  isQuiet = false,
}: {
  /** True to show nothing if the list is empty, on pages about other things. */
  readonly isQuiet?: boolean
}) => {
  const { data: projects = [] } = useProjects()
  const ids = projects.map(({ id }) => id)
  const targets = useQuery({
    ...troubledTargetsQuery(ids),
    enabled: ids.length > 0,
  })
  if (ids.length === 0 || (isQuiet && (targets.data ?? []).length === 0)) return null
  return (
    <Card title="Targets that fail">
      <Loaded query={targets} name="targets of the projects">
        {(all) =>
          all.length === 0 ? (
            <p class="nothing">None. A target that fails for too long is disabled.</p>
          ) : (
            <ul class="rows">
              {all.map((target) => (
                <li key={target.id}>
                  <div class="grow">
                    <Link
                      to={`projects/${target.project_id}/settings/alerts/targets/${target.id}`}
                      class="row-link"
                    >
                      {nameOf(target)}
                    </Link>
                    <p class="faint">
                      {nameOf(projects.find(({ id }) => id === target.project_id) ?? { name: "" })}
                    </p>
                    <TargetProblem target={target} />
                  </div>
                  <TargetState target={target} />
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
    </Card>
  )
}
