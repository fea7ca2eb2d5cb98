/** The scripts and source maps that build tools uploaded, and why some could not be read. */
import type { ArtifactBundle } from "@errata/api/promise"
import { useState } from "preact/hooks"
import { useLocation } from "preact-iso/router"
import { useQuery } from "../../data/query.js"
import { deleteUpload, uploadsQuery } from "../../data/releases.js"
import { Confirm } from "../../parts/Confirm.js"
import { Card, Loaded } from "../../parts/Loaded.js"
import { cursorOf, Pager } from "../../parts/Pager.js"
import { Text } from "../../parts/Text.js"
import { Time } from "../../parts/Time.js"
import { bytes, counted } from "../../text/Numbers.js"
import { cut, line } from "../../text/SafeText.js"
import type { SectionProps } from "./SectionProps.js"
import { UnmappedReports } from "./UnmappedReports.js"
import { UploadFiles } from "./UploadFiles.js"
import { linkText, uploadName } from "./uploadText.js"

export const Uploads = ({ project, can }: SectionProps) => {
  const cursor = cursorOf(useLocation().query["cursor"])
  const uploads = useQuery(uploadsQuery(project.id, cursor))
  const isAdmin = can("artifacts.administer")
  const [leaving, setLeaving] = useState<ArtifactBundle | null>(null)
  return (
    <>
      <p class="lead">
        Errata maps the frames of reports to your sources with these files. If it cannot map a report, the
        report says why.
      </p>
      <Card title="Uploads">
        <Loaded query={uploads} name="uploads">
          {({ artifact_bundles, next_cursor }) => (
            <>
              {artifact_bundles.length === 0 ? (
                <p class="nothing">
                  Nothing was uploaded yet. Upload source maps when you build, for example with{" "}
                  <code>sentry-cli sourcemaps upload</code> or a bundler plugin.
                </p>
              ) : (
                <ul class="rows">
                  {artifact_bundles.map((upload) => (
                    <Row
                      key={upload.id}
                      upload={upload}
                      onDelete={isAdmin ? () => setLeaving(upload) : undefined}
                    />
                  ))}
                </ul>
              )}
              <Pager path={`projects/${project.id}/settings/uploads`} cursor={cursor} next={next_cursor} />
            </>
          )}
        </Loaded>
      </Card>
      <UnmappedReports projectId={project.id} mayRetry={can("project.administer")} />
      {leaving !== null && (
        <Confirm
          title="Delete the upload?"
          action="Delete upload"
          run={() => deleteUpload(project.id, leaving.id)}
          done={"Deleted the upload."}
          onClose={() => setLeaving(null)}
        >
          {() => (
            <p>
              Errata deletes {uploadName(leaving)} and its {counted(leaving.files_count, "file")}. Reports
              that are mapped stay mapped. New reports are not mapped with it.
            </p>
          )}
        </Confirm>
      )}
    </>
  )
}

// internal

const Row = ({
  upload,
  onDelete,
}: {
  readonly upload: ArtifactBundle
  readonly onDelete: (() => void) | undefined
}) => (
  <li class="upload">
    <div class="grow">
      <b>{line(cut(uploadName(upload), 120))}</b>{" "}
      {upload.state === "failed" ? (
        <span class="tag bad">Failed</span>
      ) : (
        upload.detail !== null && <span class="tag warn">Warning</span>
      )}
      {upload.detail !== null && (
        <p class={upload.state === "failed" ? "field-problem" : "warning"}>
          <Text value={upload.detail} max={500} />
        </p>
      )}
      <p class="faint">
        {line(cut(linkText(upload.links), 200))} · {bytes(upload.size)} · uploaded{" "}
        <Time value={upload.uploaded_at} /> ·{" "}
        {upload.last_used_at === null ? (
          "not used yet"
        ) : (
          <>
            last used <Time value={upload.last_used_at} />
          </>
        )}
      </p>
      {upload.files_count > 0 && <UploadFiles upload={upload} />}
    </div>
    {onDelete !== undefined && (
      <button type="button" aria-label={`Delete ${uploadName(upload)}`} onClick={onDelete}>
        Delete
      </button>
    )}
  </li>
)
