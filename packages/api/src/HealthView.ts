/** The state of an instance as the API shows it. */
import type { HealthDetails } from "@errata/core"
import { Schema } from "effect"
import { described } from "./Json.js"

export const HealthView = Schema.Struct({
  ready: described("True if all checks pass, as in `/ready`", Schema.Boolean),
  checks: described(
    "Every check, in a fixed order",
    Schema.Array(
      Schema.Struct({
        name: described("Name of the check", Schema.String),
        ok: described("True if the check passes", Schema.Boolean),
        code: described("Code of the failure, or null", Schema.NullOr(Schema.String)),
      }),
    ),
  ),
  warnings: described(
    "Warnings, which do not affect `ready`",
    Schema.Array(Schema.Struct({ code: described("Code of the warning", Schema.String) })),
  ),
}).pipe(
  Schema.annotateEncoded({
    identifier: "Health",
    examples: [
      {
        ready: false,
        checks: [
          { name: "database", ok: true, code: null },
          { name: "workers", ok: false, code: "worker_stale" },
        ],
        warnings: [{ code: "deliveries_failed" }],
      },
    ],
  }),
)
export type HealthView = typeof HealthView.Type

export const healthView = ({ findings, isReady, warnings }: HealthDetails): HealthView => ({
  ready: isReady,
  checks: findings.map(({ code, name, ok }) => ({ name, ok, code })),
  warnings: warnings.map((code) => ({ code })),
})
