/** A storage that supports only a part of Errata. */
import { AbsentStores } from "@errata/core/ports"
import { MemoryStorage } from "@errata/storage-memory"
import { storageContract, storageSuites } from "@errata/testing"
import { Layer } from "effect"
import { describe, expect, it } from "vitest"

/** These read what other ports insert, so an absent port fails them without a refused call. */
const absent = /^(SourcemapReportStore|AlertStore rules)$/

/** These use no absent port, and `MemoryStorage.test.ts` runs them. */
const unaffected =
  /^(GroupStore|ReportStore|PendingPayloads|CredentialStore|RateLimitStore|NoteStore|PolicyStore|IngestStatistics|ActivityStore|JobStore|ProjectStore$)/

const suites = storageSuites.filter(({ name }) => !absent.test(name) && !unaffected.test(name))

storageContract(
  "MemoryStorage without its optional parts",
  { layer: Layer.merge(MemoryStorage.layer, AbsentStores.layer) },
  suites,
)

describe("the absent suites", () => {
  it("have these names", () => expect(storageSuites.filter(({ name }) => absent.test(name))).toHaveLength(2))
})
