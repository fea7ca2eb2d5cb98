import { expect } from "vitest"
import * as Given from "./Given.js"
import type { Json } from "./Json.js"
import type { Wire } from "./Wire.js"
import { type WireFile, wireCase } from "./WireCase.js"

type Range = readonly [least: number, most: number]

interface Policy {
  readonly name: string
  readonly resource: string
  readonly flags: ReadonlyArray<string>
  readonly numbers: Readonly<Record<string, Range>>
  readonly words?: Readonly<Record<string, readonly [string, string]>>
  readonly readOnly?: ReadonlyArray<string>
}

const policies: ReadonlyArray<Policy> = [
  {
    name: "ingest_protection",
    resource: "Resource Ingest protection",
    flags: ["enabled", "backlog_protection_enabled", "disk_protection_enabled"],
    numbers: {
      global_rate_limit_per_minute: [1, 10_000_000],
      max_pending_ingest_payloads: [1, 10_000_000],
      minimum_free_disk_space_mb: [0, 10_000_000],
    },
    readOnly: [
      "pending_ingest_bytes",
      "max_pending_ingest_bytes",
      "recent_rejections",
      "recent_rejections_by_disk",
      "recent_rejections_by_queue",
      "recent_rejections_by_rate",
      "recent_truncations",
    ],
  },
  {
    name: "errors",
    resource: "Resource Error retention",
    flags: ["enabled", "time_based_enabled", "disk_based_enabled"],
    numbers: { retention_period_days: [1, 3_650], disk_limit_value: [1, 95] },
    words: { time_purge_type: ["partial", "full"], disk_limit_type: ["absolute", "percentage"] },
  },
  {
    name: "artifacts",
    resource: "Resource Artifact retention",
    flags: ["enabled", "time_based_enabled", "disk_based_enabled", "purge_on_new_release"],
    numbers: { retention_period_days: [1, 3_650], disk_limit_value: [1, 95], max_releases_kept: [1, 1_000] },
    words: { disk_limit_type: ["absolute", "percentage"] },
  },
  {
    name: "hosted_sourcemaps",
    resource: "Resource Hosted source map switch",
    flags: ["enabled"],
    numbers: {},
  },
]

/** Runs `work` with the policy and restores it afterwards. */
const restoring = async (
  { admin }: Wire,
  { name, readOnly = [] }: Policy,
  work: (path: string) => Promise<void>,
) => {
  const path = `/data_retention/${name}`
  const before = await admin.get(path)
  try {
    await work(path)
  } finally {
    const writable = Object.entries(before).filter(([key]) => !readOnly.includes(key))
    await admin.patch(path, Object.fromEntries(writable))
  }
}

/** A range of percentages requires its type in the same request. */
const typed = ({ words = {} }: Policy) =>
  "disk_limit_type" in words ? { disk_limit_type: "percentage" } : {}

const settable = (policy: Policy): ReadonlyArray<readonly [string, ReadonlyArray<unknown>]> => [
  ...policy.flags.map((flag) => [flag, [true, false]] as const),
  ...Object.entries(policy.numbers),
  ...Object.entries(policy.words ?? {}).filter(([field]) => field !== "disk_limit_type"),
]

const wrongValues = (policy: Policy): ReadonlyArray<readonly [string, ReadonlyArray<unknown>]> => [
  ...policy.flags.map((flag) => [flag, ["true", "", 1, 0, null, [], {}]] as const),
  ...Object.entries(policy.numbers).map(
    ([field, [least, most]]) =>
      [field, [least - 1, most + 1, -5, 1.5, "5", "", null, true, [], {}, 1e300]] as const,
  ),
  ...Object.keys(policy.words ?? {}).map(
    (field) => [field, ["", "none", "FULL", 1, null, true, [], {}]] as const,
  ),
]

export const policiesWire: WireFile = {
  name: "Policies",
  cases: [
    ...policies.flatMap((policy) => [
      wireCase(`${policy.name} is read and changed, each field to the ends of its range`, async (wire) => {
        const { admin } = wire
        await restoring(wire, policy, async (path) => {
          const fields = [...policy.flags, ...Object.keys(policy.numbers), ...Object.keys(policy.words ?? {})]
          expect(Object.keys(await admin.get(path)).sort()).toEqual(
            [...fields, ...(policy.readOnly ?? [])].sort(),
          )
          for (const [field, values] of settable(policy)) {
            for (const value of values) {
              const changed = await admin.patch(path, { ...typed(policy), [field]: value })
              expect([field, changed[field]]).toEqual([field, value])
              expect((await admin.get(path))[field]).toBe(value)
            }
          }
          const before = await admin.get(path)
          expect(await admin.patch(path, {})).toMatchObject(settingsOf(policy, before))
          expect(await admin.expect(200, "PATCH", path)).toMatchObject(settingsOf(policy, before))
        })
      }),

      wireCase(
        `${policy.name} refuses a value out of range or of another type, and changes nothing`,
        async (wire) => {
          const { admin } = wire
          await restoring(wire, policy, async (path) => {
            const before = settingsOf(policy, await admin.patch(path, typed(policy)))
            for (const [field, values] of wrongValues(policy)) {
              for (const value of values) {
                // The other, valid fields of the body are not applied either.
                const other = policy.flags.find((flag) => flag !== field)
                const body = { ...(other === undefined ? {} : { [other]: !before[other] }), [field]: value }
                await admin.refused("PATCH", path, { body }, field)
              }
            }
            expect(await admin.get(path)).toMatchObject(before)
          })
        },
      ),

      wireCase(`${policy.name} ignores unknown keys, and settings inside a wrapper`, async (wire) => {
        await restoring(wire, policy, async (path) => {
          const before = await wire.admin.get(path)
          const body = {
            [policy.name]: { enabled: !before.enabled },
            policy: { enabled: !before.enabled },
            x: 1,
          }
          expect(await wire.admin.patch(path, body)).toMatchObject(settingsOf(policy, before))
        })
      }),
    ]),

    ...policies
      .filter(({ words }) => words !== undefined)
      .map((policy) =>
        wireCase(`${policy.name} checks its disk limit against the type after the change`, async (wire) => {
          const { admin } = wire
          await restoring(wire, policy, async (path) => {
            const absolute = { disk_limit_type: "absolute", disk_limit_value: 100_000 }
            expect(await admin.patch(path, absolute)).toMatchObject(absolute)
            await admin.refused(
              "PATCH",
              path,
              { body: { disk_limit_type: "percentage" } },
              "disk_limit_value",
            )
            await admin.refused("PATCH", path, { body: { disk_limit_value: 100_001 } }, "disk_limit_value")
            await admin.refused("PATCH", path, { body: { disk_limit_value: 0 } }, "disk_limit_value")
            expect(await admin.get(path)).toMatchObject(absolute)
            const percentage = { disk_limit_type: "percentage", disk_limit_value: 95 }
            expect(await admin.patch(path, percentage)).toMatchObject(percentage)
            await admin.refused("PATCH", path, { body: { disk_limit_value: 96 } }, "disk_limit_value")
          })
        }),
      ),

    wireCase("ingest_protection shows the intake state, and ignores changes to it", async (wire) => {
      const { admin } = wire
      const [policy] = policies
      await restoring(wire, policy!, async (path) => {
        const before = await admin.get(path)
        expect(before.max_pending_ingest_bytes).toBe(536_870_912)
        for (const field of policy!.readOnly!) expect(before[field]).toBeGreaterThanOrEqual(0)
        const body = {
          pending_ingest_bytes: -7,
          max_pending_ingest_bytes: 1,
          recent_rejections: -7,
          recent_truncations: "x",
        }
        const after = await admin.patch(path, body)
        expect(after.max_pending_ingest_bytes).toBe(536_870_912)
        for (const field of policy!.readOnly!) expect(after[field]).toBeGreaterThanOrEqual(0)
      })
    }),
    wireCase("counts events that were shortened to fit the limits", async (wire) => {
      const path = "/data_retention/ingest_protection"
      const project = await Given.project(wire)
      const before = (await wire.admin.get(path)).recent_truncations
      const tags = Object.fromEntries(Array.from({ length: 150 }, (_, i) => [`tag${i}`, "x"]))
      const report = await Given.report(wire, project, Given.failure({ tags }))
      expect(report.ingest_truncations).not.toEqual([])
      expect((await wire.admin.get(path)).recent_truncations).toBeGreaterThan(before)
    }),
  ],
}

// internal

const settingsOf = ({ readOnly = [] }: Policy, values: Json): Json =>
  Object.fromEntries(Object.entries(values).filter(([key]) => !readOnly.includes(key)))
