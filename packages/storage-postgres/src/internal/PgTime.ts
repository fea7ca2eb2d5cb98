import { DateTime } from "effect"

/** As a parameter of a statement. */
export const toDate = (time: DateTime.Utc): Date => DateTime.toDateUtc(time)
