/** Groups, and validation of requests about them. */
export { releaseProblem } from "../artifact/ArtifactNames.js"
export {
  activeMutes,
  Group,
  GroupId,
  isMuted,
  type ListedGroup,
  Mute,
  MuteCondition,
  type MuteSource,
  maxExactUsers,
  mutedUntilRelease,
  mutedUntilReportsCount,
  muteSource,
  nextRelease,
  Resolution,
} from "./Group.js"
export { groupFields } from "./GroupFields.js"
export * as GroupFilter from "./GroupFilter.js"
export * as GroupListParameters from "./GroupListParameters.js"
export { selectionProblem } from "./GroupSelection.js"
export * as GroupSort from "./GroupSort.js"
export { maxListedProjects } from "./GroupSort.js"
export { isOccurrences, maxOccurrences, nextReleaseProblem, occurrencesProblem } from "./MuteRequest.js"
export { groupUrl, reportUrl } from "./WebUrl.js"
