/** Tags as the API shows them. */
import type { TagDistribution, TagValue } from "@errata/core"
import { Schema, Struct } from "effect"
import { flag, int, text, viewOf } from "./Fields.js"
import { described, named } from "./Json.js"

/** A value of a tag with its count. */
export const TagValueView = Schema.Struct({
  value: text("A value of the tag, as it was stored"),
  reports_count: int("Number of reports with this value"),
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
  key: text("Key of the tag"),
  reports_count: int("Number of reports with one of the counted values"),
  values_count: int("Number of counted values, at most 1,000"),
  values_count_capped: flag("True if more values exist than are counted"),
  values: described("The 10 most frequent of the counted values", Schema.Array(TagValueView)),
}).pipe(named("TagDistribution", example))
export type TagDistributionView = typeof TagDistributionView.Type

export const GroupTagsView = Schema.Struct({
  tags: described("Tags of the group, the most frequent key first", Schema.Array(TagDistributionView)),
}).annotate({ identifier: "GroupTags", examples: [{ tags: [example] }] })

export const ProjectTagsView = Schema.Struct({
  tags: described(
    "Tags of the project in alphabetical order, at most 1,000",
    Schema.Array(Schema.Struct({ key: text("Key of the tag") })),
  ),
}).annotate({ identifier: "ProjectTags", examples: [{ tags: [{ key: "browser" }, { key: "environment" }] }] })

export const TagCompletionView = Schema.Struct({
  values: described(
    "Values that begin with the prefix, the most frequent first",
    Schema.Array(Schema.String),
  ),
}).annotate({ identifier: "TagCompletion", examples: [{ values: ["Firefox", "Firefox Mobile"] }] })

export const tagValueView: (value: TagValue) => TagValueView = viewOf(TagValueView.fields)

export const tagDistributionView = (tag: TagDistribution): TagDistributionView => ({
  ...countsOf(tag),
  values: tag.values.map(tagValueView),
})

// internal

const countsOf = viewOf(Struct.omit(TagDistributionView.fields, ["values"]))
