// Runs a suite of the storage contract as authors of storages do.

import { defineWireSuite } from "@errata/api/wire"
import { MemoryStorage } from "@errata/storage-memory"
import { storageContract, storageSuites } from "@errata/testing"
import { expect, it } from "vitest"

storageContract(
  "MemoryStorage",
  { layer: MemoryStorage.layer },
  storageSuites.filter(({ name }) => name === "NoteStore"),
)

it("has the suite of the REST API, too", () => expect(defineWireSuite).toBeTypeOf("function"))
