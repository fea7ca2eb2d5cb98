/** Tags as the API shows them. */
import type { TagDistribution, TagValue } from "@errata/core"
import { Schema } from "effect"
import { described, named } from "./Json.js"

/** A value of a tag with its count. */
export const TagValueView = Schema.Struct({
  value: described("A value of the tag, as it was stored", Schema.String),
  reports_count: described("Number of reports with this value", Schema.Int),
}).pipe(named("TagValue", { value: "Firefox", reports_count: 12 }))
export type TagValueView = typeof TagValueView.Type

const example = {
  key: "browser",
  reports_count: 17,
  values_count: 2,
  values_count_capped: false,
  values: [
    { value: "Firefox", reports_count: 12 },
    { value: "Chrome", reports_count: 5 },
  ],
}

/** The values of a tag among the reports of a group, as REST shows them. */
export const TagDistributionView = Schema.Struct({
  key: described("Key of the tag", Schema.String),
  reports_count: described("Number of reports with one of the counted values", Schema.Int),
  values_count: described("Number of counted values, at most 1,000", Schema.Int),
  values_count_capped: described("True if more values exist than are counted", Schema.Boolean),
  values: described("The 10 most frequent of the counted values", Schema.Array(TagValueView)),
}).pipe(named("TagDistribution", example))
export type TagDistributionView = typeof TagDistributionView.Type

export const GroupTagsView = Schema.Struct({
  tags: described("Tags of the group, the most frequent key first", Schema.Array(TagDistributionView)),
}).annotate({ identifier: "GroupTags", examples: [{ tags: [example] }] })

export const ProjectTagsView = Schema.Struct({
  tags: described(
    "Tags of the project in alphabetical order, at most 1,000",
    Schema.Array(Schema.Struct({ key: described("Key of the tag", Schema.String) })),
  ),
}).annotate({ identifier: "ProjectTags", examples: [{ tags: [{ key: "browser" }, { key: "environment" }] }] })

export const TagCompletionView = Schema.Struct({
  values: described(
    "Values that begin with the prefix, the most frequent first",
    Schema.Array(Schema.String),
  ),
}).annotate({ identifier: "TagCompletion", examples: [{ values: ["Firefox", "Firefox Mobile"] }] })

export const tagValueView = ({ reportsCount, value }: TagValue): TagValueView => ({
  value,
  reports_count: reportsCount,
})

export const tagDistributionView = (tag: TagDistribution): TagDistributionView => ({
  key: tag.key,
  reports_count: tag.reportsCount,
  values_count: tag.valuesCount,
  values_count_capped: tag.valuesCountCapped,
  values: tag.values.map(tagValueView),
})
