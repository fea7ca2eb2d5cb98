import { type Answer, json } from "./FakeServer.js"
import { group } from "./samples.js"

/** Responds with pages of the groups with the ids from `count` to 1. */
export const groupList =
  (count: number): Answer =>
  (response, asked) => {
    const query = new URL(asked.url, "http://localhost").searchParams
    const limit = Math.min(Number(query.get("limit") ?? 25), 100)
    const below = Number(query.get("cursor") ?? count + 1)
    const ids = Array.from(
      { length: Math.max(0, Math.min(limit, below - 1)) },
      (_, index) => below - 1 - index,
    )
    const more = below - 1 > limit
    json(200, { groups: ids.map(group), next_cursor: more ? ids.at(-1) : null, has_more: more })(
      response,
      asked,
    )
  }
