/**
 * Duplicate events. A project records each event id once, whatever the later events with that id contain: they add no
 * report, count, tag, attachment or notification. The storage finds them when it inserts the reports of a batch
 * (`ReportStore.insert`), also within the batch and in concurrent ones. An id can be recorded again after its report
 * was deleted. PostgreSQL may reject it until all reports of the same four weeks are deleted.
 */
import * as TagCounting from "../event/TagCounting.js"
import * as TagList from "../event/TagList.js"
import type { ReportToRecord } from "./Recording.js"

/**
 * Tags of duplicates, by candidate. A batch counts its tags before the storage finds the duplicates, so theirs are
 * subtracted.
 */
export type DuplicateTags = Map<number, Map<string, Map<string, number>>>

export const countDuplicate = (
  duplicates: DuplicateTags,
  { candidate, event, tags }: ReportToRecord,
): void => {
  let tally = duplicates.get(candidate)
  if (tally === undefined) {
    tally = new Map()
    duplicates.set(candidate, tally)
  }
  TagCounting.countTags(tally, { ...event, tags: TagList.decode(tags) })
}

/** The counts of a candidate's tags without those of its duplicates. */
export const withoutDuplicates = (
  all: TagCounting.TagTally,
  duplicates: TagCounting.TagTally | undefined,
): TagCounting.TagTally => (duplicates === undefined ? all : TagCounting.combine(all, duplicates, -1))
