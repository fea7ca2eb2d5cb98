/** The storage contract with projects in buckets. */
import { storageSuites } from "@errata/testing"

/** Cases that do not apply, with the reason. Ids of different buckets are not in order of time. */
const without: Readonly<Record<string, string>> = {
  // A lease takes one bucket, so that a recording transaction changes tables of one node.
  "hands payloads out as they came in": "one lease does not have batches of two projects",
  "tells since when the oldest error has been ready, whoever holds it": "as above",
  // Their projects are in different buckets.
  "finds groups of several projects, each once, and leaves out what is not there":
    "the order of groups of different projects",
  "hands out what was appended, to the letter and oldest first": "the order of events of different projects",
  "lists the targets of live projects in the order in which they were made, members included":
    "the order of targets of different projects",
  "let webhooks take turns, and give none more than it may have":
    "webhooks of one bucket take turns, and buckets do",
  "tells which of several projects have a report of an event, the latest first": "the order of projects",
  "tells who listens: the enabled webhooks of live projects, with what their project wants":
    "the order of webhooks of different projects",
  "lists dead letters newest first, page by page": "the order of dead letters of different projects",
  "deletes the oldest dead letters of a project beyond the bounds": "as above",
  "keeps an event for each consumer that subscribes to it, once, for all that share the consumer":
    "the order of events of different projects",
  "tell that a mute has ended at its number of reports, where the project does not mute the group still":
    "the case guesses the id of the second group",
}

export const suites = storageSuites.map((suite) =>
  suite.cases.some(({ name }) => name in without)
    ? { ...suite, cases: suite.cases.filter(({ name }) => !(name in without)) }
    : suite,
)
