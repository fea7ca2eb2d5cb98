/** A storage that supports only a part of Errata. */
import { AbsentStores } from "@errata/core/ports"
import { MemoryStorage } from "@errata/storage-memory"
import { storageContract, storageSuites } from "@errata/testing"
import { Layer } from "effect"
import { describe, expect, it } from "vitest"

/** These read what other ports insert, so an absent port fails them without a refused call. */
const absentSuites = ["SourcemapReportStore", "AlertStore rules"]
const suites = storageSuites.filter(({ name }) => !absentSuites.includes(name))

storageContract(
  "MemoryStorage without its optional parts",
  { layer: Layer.merge(MemoryStorage.layer, AbsentStores.layer) },
  suites,
)

describe("the optional parts", () => {
  it("have suites of these names", () => expect(suites).toHaveLength(storageSuites.length - 2))
})
