import { describe, expect, it } from "vitest"
import { linkText, uploadName } from "../../../src/pages/settings/uploadText.js"

describe("the name of an upload", () => {
  it("is the one of its file, or of its checksum", () => {
    const checksum = "80dc7b1f4ad3fc4a3d6cb5eeb7a7d2d8a5a4b0c1"
    expect(uploadName({ checksum, kind: "release_file", name: "~/app.js" })).toBe("~/app.js")
    expect(uploadName({ checksum, kind: "bundle", name: null })).toBe("Bundle 80dc7b1f")
    expect(uploadName({ checksum, kind: "debug_file", name: null })).toBe("Debug file 80dc7b1f")
  })

  it("lists releases with their builds", () => {
    expect(
      linkText([
        { release: "shop@1.4.0", dist: "web" },
        { release: "shop@1.5.0", dist: null },
        { release: null, dist: null },
      ]),
    ).toBe("shop@1.4.0 (web), shop@1.5.0")
    expect(linkText([{ release: null, dist: null }])).toBe("no release, found by debug id")
  })
})
