import { useEffect, useRef, useState } from "preact/hooks"
import { useLocation } from "preact-iso/router"
import { describe } from "../../data/failure.js"
import { useMe } from "../../data/me.js"
import { createProject } from "../../data/projects.js"
import { href } from "../../data/root.js"
import { Link } from "../../parts/Link.js"
import { Page } from "../../parts/Page.js"
import { platforms } from "./Platforms.js"
import "../../styles/projects.css"

export const NewProjectPage = () => {
  const { route } = useLocation()
  const me = useMe()
  const name = useRef<HTMLInputElement>(null)
  const [platform, setPlatform] = useState("node")
  const [problem, setProblem] = useState<string | null>(null)
  const [isSending, setSending] = useState(false)
  useEffect(() => name.current?.focus(), [])
  const create = async () => {
    setSending(true)
    try {
      const project = await createProject({ name: name.current?.value.trim() ?? "", platform })
      route(href(`projects/${project.id}/setup`))
    } catch (error) {
      setProblem(describe(error))
      setSending(false)
      name.current?.focus()
    }
  }
  if (me !== undefined && !me.can.includes("projects.create")) {
    return (
      <Page title="New project" isNarrow>
        <p>
          Only admins create projects. <Link to="projects">Your projects</Link>
        </p>
      </Page>
    )
  }
  return (
    <Page title="New project" isNarrow>
      <form
        class="new-project"
        onSubmit={(event) => {
          event.preventDefault()
          void create()
        }}
      >
        <label for="name">Name</label>
        <input
          ref={name}
          id="name"
          type="text"
          required
          maxLength={200}
          autocomplete="off"
          aria-invalid={problem !== null}
          aria-describedby="problem"
        />
        <p id="problem" class="field-problem" role="alert">
          {problem}
        </p>
        <fieldset class="platforms">
          <legend>Platform</legend>
          {Object.entries(platforms).map(([value, text]) => (
            <label key={value} class={value === platform ? "chosen" : undefined}>
              <input
                type="radio"
                name="platform"
                class="visually-hidden"
                checked={value === platform}
                onChange={() => setPlatform(value)}
              />
              {text}
            </label>
          ))}
        </fieldset>
        <button type="submit" class="primary" disabled={isSending}>
          Create project
        </button>
      </form>
    </Page>
  )
}
