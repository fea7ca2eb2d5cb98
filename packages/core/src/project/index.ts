/** Projects. */
export { activeMute, type Project, ProjectId, ProjectMute, ProjectToken } from "./Project.js"
