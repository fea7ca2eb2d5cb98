/** The files of a report. Pictures are shown, all others are downloaded. */
import type { ReportDetail } from "@errata/api/promise"
import { useEffect, useState } from "preact/hooks"
import { describe } from "../../data/failure.js"
import { notifyFailure } from "../../data/notices.js"
import { attachmentUrl } from "../../data/report.js"
import { Section } from "../../parts/Section.js"
import { Text } from "../../parts/Text.js"
import { bytes } from "../../text/Numbers.js"
import { visible } from "../../text/SafeText.js"

type Attachment = ReportDetail["attachments"][number]

export const Attachments = ({ report }: { readonly report: ReportDetail }) => {
  if (report.attachments.length === 0) return null
  return (
    <Section
      title="Attachments"
      count={report.attachments.length}
      summary={report.attachments.map(({ filename }) => filename).join(", ")}
    >
      {() => (
        <ul class="attachments">
          {report.attachments.map((attachment) => (
            <li key={attachment.id}>
              <b>
                <Text value={attachment.filename} max={200} />
              </b>
              <span class="faint">
                {bytes(attachment.size)} <Text value={attachment.content_type} max={100} />
              </span>
              <button type="button" onClick={() => download(report, attachment)}>
                Download
              </button>
              {isPicture(attachment) && <Picture report={report} attachment={attachment} />}
            </li>
          ))}
        </ul>
      )}
    </Section>
  )
}

// internal

/** Image formats without scripts. */
const isPicture = ({ content_type: type, size }: Attachment): boolean =>
  /^image\/(?:png|jpeg|gif|webp|avif)$/.test(type) && size <= 20_000_000

const download = async (report: ReportDetail, attachment: Attachment): Promise<void> => {
  try {
    // The browser must save the file, and not show it, under any type that its sender named.
    const url = await attachmentUrl(report, { ...attachment, content_type: "application/octet-stream" })
    const link = document.createElement("a")
    link.href = url
    link.download = visible(attachment.filename).replace(/[/\\]/g, "_")
    link.click()
    setTimeout(() => URL.revokeObjectURL(url), 60_000)
  } catch (error) {
    notifyFailure("The attachment was not downloaded.", error)
  }
}

const Picture = ({
  attachment,
  report,
}: {
  readonly attachment: Attachment
  readonly report: ReportDetail
}) => {
  const [shown, show] = useState<{ readonly url?: string; readonly failure?: string }>({})
  useEffect(() => {
    let url: string | undefined
    let isGone = false
    attachmentUrl(report, attachment).then(
      (made) => {
        url = made
        if (isGone) URL.revokeObjectURL(made)
        else show({ url: made })
      },
      (error) => show({ failure: describe(error) }),
    )
    return () => {
      isGone = true
      if (url !== undefined) URL.revokeObjectURL(url)
    }
  }, [report.id, attachment.id])
  if (shown.failure !== undefined)
    return <p class="faint">The picture could not be loaded. {shown.failure}</p>
  if (shown.url === undefined) return <p class="faint">Loading the picture…</p>
  return (
    <img
      src={shown.url}
      alt={`Attachment ${visible(attachment.filename)}`}
      onError={() => show({ failure: "The file is not a picture that the browser can draw." })}
    />
  )
}
