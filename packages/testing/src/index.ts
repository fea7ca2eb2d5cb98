/** Test suites for the contract of Errata storages, and factories of test data. */

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
