/** What every Errata storage must do, as test suites, and the factories that they use. */

export { blobStoreSuite } from "./BlobStoreSuite.js"
export {
  advance,
  type ContractCase,
  type ContractSuite,
  checkRule,
  contractCase,
  onRealClock,
  onSecondNode,
  restartTime,
  runCase,
  SecondNode,
  StorageClock,
} from "./ContractCase.js"
export * as Factory from "./Factory.js"
export * as Given from "./Given.js"
export { nodes, type StorageUnderTest, storageContract, storageSuites } from "./StorageContract.js"
export * as TestBundle from "./TestBundle.js"
export * as TestDecoder from "./TestDecoder.js"
