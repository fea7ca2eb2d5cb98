/** The files of an upload. They load when the reader opens the list. */
import type { ArtifactBundle, ArtifactBundleDetail } from "@errata/api/promise"
import { useState } from "preact/hooks"
import { useQuery } from "../../data/query.js"
import { uploadQuery } from "../../data/releases.js"
import { Loaded } from "../../parts/Loaded.js"
import { bytes, counted } from "../../text/Numbers.js"
import { cut, line } from "../../text/SafeText.js"

export const UploadFiles = ({ upload }: { readonly upload: ArtifactBundle }) => {
  const [isOpen, setOpen] = useState(false)
  return (
    <details class="files" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>{counted(upload.files_count, "file")}</summary>
      {isOpen && <Files upload={upload} />}
    </details>
  )
}

// internal

type File = ArtifactBundleDetail["files"][number]

const types: Readonly<Record<File["type"], string>> = {
  source: "source",
  minified_source: "script",
  source_map: "source map",
  indexed_ram_bundle: "RAM bundle",
}

const Files = ({ upload }: { readonly upload: ArtifactBundle }) => {
  const detail = useQuery(uploadQuery(upload.project_id, upload.id))
  return (
    <Loaded query={detail} name="files" rows={2}>
      {({ files, files_count }) => (
        <>
          <ul>
            {files.map((file, index) => (
              <li key={index}>
                <code>{line(cut(file.url ?? file.debug_id ?? "without a name", 200))}</code>
                <span class="faint">
                  {types[file.type]} · {bytes(file.size)}
                  {file.debug_id !== null && ` · debug id ${line(cut(file.debug_id, 40))}`}
                </span>
                {file.type === "minified_source" && file.source_map === null && file.debug_id === null && (
                  <span class="warning">The script names no source map, so its frames are not mapped.</span>
                )}
              </li>
            ))}
          </ul>
          {files.length < files_count && (
            <p class="faint">
              The first {files.length} of {files_count} files.
            </p>
          )}
        </>
      )}
    </Loaded>
  )
}
