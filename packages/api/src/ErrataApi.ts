/** The REST contract: every endpoint with what it takes and answers. Servers and clients are made from it. */
import { HttpApi } from "@effect/platform"
import { GroupsApi } from "./GroupsApi.js"
import { ProjectsApi } from "./ProjectsApi.js"
import { ReportsApi } from "./ReportsApi.js"

/** Where the API is below an instance's base URL. */
export const apiPath = (serviceName: string): `/${string}` => `/api/${encodeURIComponent(serviceName)}/v1`

/** The contract of an instance with the given service name. */
export const makeErrataApi = (serviceName = "service") =>
  HttpApi.make("errata").add(ProjectsApi).add(GroupsApi).add(ReportsApi).prefix(apiPath(serviceName))

export type ErrataApi = ReturnType<typeof makeErrataApi>
