/** The published packages and how they are packed. */
import { execFileSync } from "node:child_process"
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

const root = fileURLToPath(new URL("../packages/", import.meta.url))

/** Manifests of the published packages, with their folders. */
export const publishedPackages = () =>
  readdirSync(root)
    .filter((name) => existsSync(join(root, name, "package.json")))
    .map((name) => ({ folder: join(root, name), manifest: readManifest(join(root, name)) }))
    .filter(({ manifest }) => manifest.private !== true)

/** Packs every built package into a folder. Returns dependencies that install them from there. */
export const packAll = (destination) =>
  Object.fromEntries(
    publishedPackages().map(({ folder, manifest }) => {
      const args = ["pack", "--ignore-scripts", "--json", "--pack-destination", destination]
      const output = execFileSync("npm", args, {
        cwd: folder,
        encoding: "utf8",
        stdio: ["ignore", "pipe", "ignore"],
      })
      const packed = Object.values(JSON.parse(output))[0]
      return [manifest.name, `file:${join(destination, packed.filename)}`]
    }),
  )

// internal

const readManifest = (folder) => JSON.parse(readFileSync(join(folder, "package.json"), "utf8"))
