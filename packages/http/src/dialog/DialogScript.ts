/**
 * The script of the report dialog, as browsers run it. Texts of the page arrive in the address of the script, and become
 * text nodes and values of fields only. The dialog has a shadow root and a constructed style sheet, so that neither the
 * styles nor the content security policy of the page apply to it.
 */
import { dialogStyles } from "./DialogStyles.js"

export const dialogScript = `(() => {
  "use strict"
  const script = document.currentScript
  const hostName = "errata-report-dialog"
  if (script === null || script.src === "" || document.querySelector(hostName) !== null) return

  const { origin, pathname, searchParams } = new URL(script.src)
  const target = { dsn: searchParams.get("dsn"), eventId: searchParams.get("eventId") }
  const endpoint = origin + pathname + "?" + new URLSearchParams(target)
  const option = (name, otherwise) => {
    const value = searchParams.get(name)
    return value === null || value === "" || value === "undefined" ? otherwise : value
  }
  const element = (name, properties = {}, ...children) => {
    const made = Object.assign(document.createElement(name), properties)
    made.append(...children)
    return made
  }

  const field = (name, label, control) => {
    const problem = element("p", { id: name + "-problem", className: "problem", hidden: true })
    Object.assign(control, { id: name, name })
    control.setAttribute("aria-describedby", problem.id)
    const row = element("div", {}, element("label", { htmlFor: name, textContent: label }), control, problem)
    const refuse = (text) => {
      problem.textContent = text
      problem.hidden = text === ""
      control.setAttribute("aria-invalid", String(text !== ""))
    }
    return { control, name, refuse, row }
  }
  const fields = [
    field("name", option("labelName", "Name"), element("input", { autocomplete: "name", maxLength: 200, value: option("name", "") })),
    field("email", option("labelEmail", "Email address"), element("input", { type: "email", autocomplete: "email", maxLength: 254, value: option("email", "") })),
    field("comments", option("labelComments", "What happened?"), element("textarea", { required: true, rows: 5, maxLength: 4096 })),
  ]

  const alert = element("p", { className: "alert", hidden: true })
  alert.setAttribute("role", "alert")
  const complain = (text) => {
    alert.textContent = text
    alert.hidden = text === ""
  }
  const button = (type, name, otherwise) => element("button", { type, textContent: option(name, otherwise) })
  const close = button("button", "labelClose", "Close")
  const buttons = element("div", { className: "buttons" }, button("submit", "labelSubmit", "Send report"), close)
  const form = element("form", { noValidate: true }, ...fields.map(({ row }) => row), alert, buttons)
  const subtitle = [
    option("subtitle", "The error has been reported. Your description helps to fix it."),
    option("subtitle2", ""),
  ].filter((text) => text !== "").join(" ")
  const content = element("div", {}, element("p", { id: "subtitle", textContent: subtitle }), form)
  const dialog = element("dialog", {}, element("h2", { id: "title", textContent: option("title", "What went wrong?") }), content)
  if (/^[a-z]{2,3}(-[a-z0-9]{1,8})*$/i.test(option("lang", ""))) dialog.lang = option("lang")
  dialog.setAttribute("aria-labelledby", "title")
  dialog.setAttribute("aria-describedby", "subtitle")

  const refuse = (problems) => {
    for (const { name, refuse } of fields) refuse(problems[name] || "")
    const first = fields.find(({ name }) => problems[name])
    if (first !== undefined) first.control.focus()
  }
  const invalid = () =>
    Object.fromEntries(fields.filter(({ control }) => !control.validity.valid).map(({ control, name }) => [name, control.validationMessage || name]))
  const succeed = () => {
    const message = element("p", { id: "subtitle", textContent: option("successMessage", "Thank you. Your report was sent.") })
    message.setAttribute("role", "status")
    content.replaceChildren(message, element("div", { className: "buttons" }, close))
    close.setAttribute("aria-describedby", message.id)
    close.focus()
  }
  const failed = option("errorGeneric", "The report could not be sent. Please try again.")
  const refused = option("errorFormEntry", "Please correct the marked fields.")
  const post = async () => {
    const { comments, email, name } = Object.fromEntries(fields.map(({ control, name }) => [name, control.value]))
    const answer = await fetch(endpoint, {
      method: "POST",
      credentials: "omit",
      headers: { "content-type": "application/x-www-form-urlencoded" },
      body: new URLSearchParams({ name, email, comments }).toString(),
    })
    if (answer.status === 200) return succeed()
    const { errors } = answer.status === 400 ? JSON.parse(await answer.text()) : {}
    if (errors === undefined) return complain(failed)
    refuse(errors)
    complain(refused)
  }

  let isSending = false
  const submit = async () => {
    if (isSending) return
    const problems = invalid()
    refuse(problems)
    complain(Object.keys(problems).length > 0 ? refused : "")
    if (!alert.hidden) return
    isSending = true
    form.setAttribute("aria-busy", "true")
    await post().catch(() => complain(failed))
    form.removeAttribute("aria-busy")
    isSending = false
  }
  form.addEventListener("submit", (event) => {
    event.preventDefault()
    void submit()
  })

  const host = element(hostName)
  const closed = () => {
    host.remove()
    window.postMessage("__sentry_reportdialog_closed__", "*")
  }
  dialog.addEventListener("close", closed)
  close.addEventListener("click", () => (dialog.close === undefined ? closed() : dialog.close()))
  // Keys pressed in the dialog are not shortcuts of the page.
  host.addEventListener("keydown", (event) => event.stopPropagation())

  const root = host.attachShadow({ mode: "open" })
  const styles = ${JSON.stringify(dialogStyles)}
  try {
    const sheet = new CSSStyleSheet()
    sheet.replaceSync(styles)
    root.adoptedStyleSheets = [sheet]
  } catch {
    root.append(element("style", { textContent: styles }))
  }
  root.append(dialog)
  ;(document.body || document.documentElement).append(host)
  const first = fields.find(({ control }) => control.value === "")
  first.control.autofocus = true
  if (dialog.showModal === undefined) dialog.setAttribute("open", "")
  else dialog.showModal()
})()
`
