/** The settings of a project. */
import type { ComponentChildren } from "preact"
import { General } from "./General.js"
import { Members } from "./Members.js"
import { Origins } from "./Origins.js"
import { Releases } from "./Releases.js"
import type { SectionProps } from "./SectionProps.js"
import { SettingsFrame } from "./SettingsFrame.js"
import { Uploads } from "./Uploads.js"
import { WebhookDeliveries } from "./WebhookDeliveries.js"
import { Webhooks } from "./Webhooks.js"

export const SettingsPage = ({ params }: { readonly params: Readonly<Record<string, string>> }) => {
  const webhook = params["webhook"]
  const slug = webhook === undefined ? (params["section"] ?? "general") : "webhooks"
  return (
    <SettingsFrame
      params={params}
      slug={slug}
      id={`${slug}/${webhook}`}
      {...(webhook === undefined ? {} : { title: `Webhook ${webhook}` })}
    >
      {(props) => (webhook === undefined ? contents[slug]?.(props) : <WebhookDeliveries {...props} />)}
    </SettingsFrame>
  )
}

// internal

const contents: Readonly<Record<string, (props: SectionProps) => ComponentChildren>> = {
  general: (props) => <General {...props} />,
  members: (props) => <Members {...props} />,
  webhooks: (props) => <Webhooks {...props} />,
  releases: (props) => <Releases {...props} />,
  uploads: (props) => <Uploads {...props} />,
  origins: (props) => <Origins {...props} />,
}
