import { Effect } from "effect"
import { activity } from "./initial/Activity.js"
import { alerts } from "./initial/Alerts.js"
import { archives } from "./initial/Archives.js"
import { artifacts } from "./initial/Artifacts.js"
import { clock } from "./initial/Clock.js"
import { groups } from "./initial/Groups.js"
import { health } from "./initial/Health.js"
import { hostedMaps } from "./initial/HostedMaps.js"
import { identity } from "./initial/Identity.js"
import { jobs } from "./initial/Jobs.js"
import { oauth } from "./initial/OAuth.js"
import { projects } from "./initial/Projects.js"
import { protection } from "./initial/Protection.js"
import { queue } from "./initial/Queue.js"
import { releases } from "./initial/Releases.js"
import { reports } from "./initial/Reports.js"
import { retention } from "./initial/Retention.js"
import { sourcemaps } from "./initial/Sourcemaps.js"
import { tags } from "./initial/Tags.js"
import { targets } from "./initial/Targets.js"
import { weeks } from "./initial/Weeks.js"

/**
 * All tables are in their own schema, so that Errata can share a database with its host application. `project_id` leads
 * the key of every big table, because it is the distribution column of a cluster.
 */
export default Effect.all(
  [
    clock,
    projects,
    identity,
    oauth,
    groups,
    tags,
    activity,
    releases,
    reports,
    sourcemaps,
    queue,
    targets,
    alerts,
    jobs,
    health,
    protection,
    weeks,
    retention,
    hostedMaps,
    artifacts,
    archives,
  ],
  { discard: true },
)
