import { describe, expect, it } from "vitest"
import { releaseChoices } from "../../src/parts/ReleaseChoices.js"

const versions = Array.from({ length: 20 }, (_, i) => `Shop@1.${20 - i}.0`)

describe("the releases of a menu", () => {
  it("are the newest ones", () => {
    expect(releaseChoices(versions, " ")).toEqual(versions.slice(0, 8))
    expect(releaseChoices([], "")).toEqual([])
  })

  it("are those that contain a text, and the text itself", () => {
    expect(releaseChoices(versions, "shop@1.2.")).toEqual(["shop@1.2.", "Shop@1.2.0"])
    expect(releaseChoices(versions, "Shop@1.3.0")).toEqual(["Shop@1.3.0"])
    expect(releaseChoices(versions, " 2.0 ")).toEqual(["2.0", "Shop@1.12.0", "Shop@1.2.0"])
    expect(releaseChoices(versions, "1.")).toHaveLength(8)
  })
})
