// Packs every package as published into the folder `packed`, for installation from there.
import { mkdirSync, rmSync } from "node:fs"
import { join } from "node:path"
import { root } from "./documents.mjs"
import { packAll } from "./packages.mjs"

const folder = join(root, "packed")
rmSync(folder, { recursive: true, force: true })
mkdirSync(folder)
console.log(Object.values(packAll(folder)).join("\n"))
