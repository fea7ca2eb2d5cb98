import { describe, expect, it } from "vitest"
import { placeIn, tagPath } from "../../../src/pages/group/paths.js"

const trail = {
  href: "/errata/projects/1/groups?query=is%3Aunresolved",
  label: "web · is:unresolved",
  total: "118",
  groups: [3, 5, 9].map((id) => ({ project_id: 1, id })),
}

describe("placeIn", () => {
  it("counts from 1 and names the neighbors", () => {
    expect(placeIn(trail, { projectId: 1, groupId: 5 })).toEqual({
      position: 2,
      previous: { project_id: 1, id: 3 },
      next: { project_id: 1, id: 9 },
    })
    expect(placeIn(trail, { projectId: 1, groupId: 3 })).toMatchObject({ position: 1, previous: undefined })
  })

  it("is null for a group that is not in the list, or without one", () => {
    expect(placeIn(trail, { projectId: 2, groupId: 5 })).toBeNull()
    expect(placeIn(null, { projectId: 1, groupId: 5 })).toBeNull()
  })
})

describe("tagPath", () => {
  it("narrows the list that the reader came from", () => {
    expect(tagPath(1, "region", "eu", trail)).toBe(
      "projects/1/groups?query=is%3Aunresolved%20tags.region%3Aeu",
    )
  })

  it("lists all groups with the tag otherwise", () => {
    expect(tagPath(1, "region", "eu", null)).toBe("projects/1/groups?query=tags.region%3Aeu")
  })
})
