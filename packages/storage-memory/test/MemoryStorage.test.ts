import { MemoryStorage } from "@errata/storage-memory"
import { storageContract } from "@errata/testing"

storageContract("MemoryStorage", { layer: MemoryStorage.layer })
