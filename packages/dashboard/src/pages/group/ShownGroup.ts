import type { GroupDetail } from "@errata/api/promise"
import type { Row } from "../../data/groups.js"

/** A group with the fields that servers of earlier versions do not have. */
export type ShownGroup = GroupDetail & Row
