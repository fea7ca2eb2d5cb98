/**
 * How both clients are called: for every endpoint of the contract a function from what people write to the request.
 * Optional parameters have no defaults in their declarations: the number of parameters tells where call options are.
 */
import type { EndpointName, GroupName, Request } from "../internal/Contract.js"
import { activity } from "./Activity.js"
import { apps } from "./Apps.js"
import { artifacts } from "./Artifacts.js"
import { deadLetters } from "./DeadLetters.js"
import { groups } from "./Groups.js"
import { health } from "./Health.js"
import { me } from "./Me.js"
import { merges } from "./Merges.js"
import { policies } from "./Policies.js"
import { assignees, members, people, projects, sourcemapOrigins } from "./Projects.js"
import { releases } from "./Releases.js"
import { notes, reports } from "./Reports.js"
import { retention } from "./Retention.js"
import { tags } from "./Tags.js"
import { users } from "./Users.js"
import { deliveries, webhooks } from "./Webhooks.js"

/** A function for every endpoint, so that one that is missing does not compile. */
type Complete = {
  readonly [G in GroupName]: { readonly [E in EndpointName<G>]: (...args: never) => Request<G, E> }
}

export const surface = {
  me,
  projects,
  groups,
  activity,
  merges,
  tags,
  releases,
  artifacts,
  reports,
  notes,
  assignees,
  people,
  members,
  sourcemapOrigins,
  webhooks,
  deliveries,
  apps,
  users,
  policies,
  retention,
  deadLetters,
  health,
} satisfies Complete

export type Surface = typeof surface

/** What a call takes. */
export type Arguments<G extends GroupName, E extends EndpointName<G>> = E extends keyof Surface[G]
  ? Surface[G][E] extends (...args: infer Args) => unknown
    ? Args
    : never
  : never

/** The name of the list of a group; never where it has none. */
export type ListOf<G extends GroupName> = Extract<"list", EndpointName<G>>
