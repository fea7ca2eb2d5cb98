/** Projects. */
export { activeMute, Project, ProjectId, ProjectMute, ProjectToken } from "./Project.js"
