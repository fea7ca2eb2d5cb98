/** A notification target for Gotify, a push message server. */
import { titleOf } from "@errata/core"
import { HttpTarget } from "@errata/core/ports"
import { layer } from "@errata/notify"

const field = { isRequired: true, description: "In Gotify, open Apps." }

const gotify = HttpTarget.make({
  kind: "gotify",
  label: "Gotify",
  fields: [
    { ...field, name: "url", label: "Server", isSecret: false, placeholder: "https://gotify.example.com" },
    { ...field, name: "token", label: "Token", isSecret: true, placeholder: "AbCdEfGhIjKlMnO" },
  ],
  check: ({ token = "", url = "" }) => ({
    ...(URL.canParse(url) ? {} : { url: "must be the URL of the server" }),
    ...(/^[\w.-]{15}$/.test(token) ? {} : { token: "must be the token of an app" }),
  }),
  request: ({ group, kind, project, reason }, { token = "", url = "" }) => ({
    url: new URL("/message", url).href,
    headers: { "x-gotify-key": token },
    body: {
      title: `[${project.name}] ${reason}`,
      message: group === null ? reason : titleOf(group),
      priority: kind === "alert" ? 8 : 4,
    },
  }),
})

/** All built-in targets except mail, plus Gotify. */
export const targets = layer({ smtp: null, extra: [gotify] })
