/** Notes and events of the group: the newest beside the report, all of them on a page. */
import type { Note } from "@errata/api/promise"
import { useEffect, useRef, useState } from "preact/hooks"
import { useMe, useNames } from "../../data/me.js"
import { deleteNote, notesQuery, writeNote } from "../../data/notes.js"
import { useQuery } from "../../data/query.js"
import { Confirm } from "../../parts/Confirm.js"
import { Link } from "../../parts/Link.js"
import { Pages } from "../../parts/Pages.js"
import { Problem } from "../../parts/Problem.js"
import { Skeleton } from "../../parts/Skeleton.js"
import { LinkedText, Text } from "../../parts/Text.js"
import { Time, zone } from "../../parts/Time.js"
import { count } from "../../text/Numbers.js"
import { cut, line } from "../../text/SafeText.js"
import { activityText, mentions } from "./activityText.js"
import { Notified } from "./Notified.js"
import { type GroupIds, groupPathOf } from "./paths.js"

export const Activity = ({ ids, mayChange, total }: Props & { readonly total: number | undefined }) => {
  const { data, error } = useQuery(notesQuery(ids.projectId, ids.groupId))
  const [isWriting, write] = useState(false)
  const opener = useRef<HTMLButtonElement>(null)
  const stopWriting = () => {
    write(false)
    requestAnimationFrame(() => opener.current?.focus())
  }
  return (
    <section class="card" aria-labelledby="activity-title">
      <div class="card-head">
        <h2 id="activity-title">Activity</h2>
      </div>
      {error !== null && <Problem title="The notes could not be loaded." error={error} />}
      {data === undefined && error === null && <Skeleton rows={2} label="the notes" />}
      <Notified ids={ids} />
      {data?.notes.length === 0 && <p class="nothing">Nothing yet.</p>}
      <Notes ids={ids} mayChange={mayChange} notes={data?.notes.slice(0, 4) ?? []} />
      {total !== undefined && total > 4 && (
        <Link to={groupPathOf(ids, "/notes")} class="card-foot">
          All {count(total)}
        </Link>
      )}
      {mayChange && (
        <div class="note">
          {isWriting ? (
            <NoteForm ids={ids} onDone={stopWriting} hasFocus />
          ) : (
            <button ref={opener} type="button" onClick={() => write(true)}>
              Write a note
            </button>
          )}
        </div>
      )}
    </section>
  )
}

export const NotesTab = ({ ids, mayChange }: Props) => (
  <div class="notes-tab">
    {mayChange && <NoteForm ids={ids} onDone={() => undefined} />}
    <div class="card">
      <Pages
        queryOf={(cursor) => notesQuery(ids.projectId, ids.groupId, cursor)}
        name="notes"
        rows={3}
        more="Older notes"
        entry={(content) => <div class="note">{content}</div>}
      >
        {({ notes }, isFirst) =>
          notes.length === 0 && isFirst ? (
            <p class="nothing">Nobody wrote a note, and nothing happened yet.</p>
          ) : (
            <Notes ids={ids} mayChange={mayChange} notes={notes} />
          )
        }
      </Pages>
    </div>
  </div>
)

// internal

interface Props {
  readonly ids: GroupIds
  readonly mayChange: boolean
}

const Notes = ({ ids, mayChange, notes }: Props & { readonly notes: ReadonlyArray<Note> }) => {
  const me = useMe()
  const nameOf = useNames()
  const [removed, remove] = useState<Note | null>(null)
  return (
    <ul class="notes">
      {notes.map((note) => (
        <li key={note.id} class={note.automated ? "note automated" : "note"}>
          <div class="note-text">
            {note.automated ? (
              mentions(activityText(note.content, nameOf, zone.value)).map(({ groupId, text }, i) =>
                groupId === null ? (
                  <Text key={i} value={text} />
                ) : (
                  <Link key={i} to={groupPathOf({ projectId: ids.projectId, groupId })}>
                    {text}
                  </Link>
                ),
              )
            ) : (
              <LinkedText value={note.content} />
            )}
          </div>
          <div class="note-foot">
            {note.user !== null && <span>{line(cut(note.user.name, 100))} · </span>}
            <Time value={note.created_at} />
            {!note.automated && mayChange && (me?.user?.admin === true || me?.user?.id === note.user?.id) && (
              <button type="button" class="link" onClick={() => remove(note)}>
                delete
              </button>
            )}
          </div>
        </li>
      ))}
      {removed !== null && (
        <Confirm
          title="Delete the note?"
          action="Delete the note"
          done="Deleted the note."
          run={() => deleteNote(ids.projectId, removed)}
          onClose={() => remove(null)}
        >
          {() => <p>{line(cut(removed.content, 200))}</p>}
        </Confirm>
      )}
    </ul>
  )
}

const NoteForm = ({
  hasFocus = false,
  ids,
  onDone,
}: {
  readonly ids: GroupIds
  readonly onDone: () => void
  readonly hasFocus?: boolean
}) => {
  const [text, setText] = useState("")
  const [isSaving, save] = useState(false)
  const field = useRef<HTMLTextAreaElement>(null)
  useEffect(() => {
    if (hasFocus) field.current?.focus()
  }, [])
  const submit = async () => {
    if (text.trim() === "" || isSaving) return
    save(true)
    const isWritten = await writeNote(ids.projectId, ids.groupId, text.trim())
    save(false)
    if (!isWritten) return
    setText("")
    field.current?.focus()
    onDone()
  }
  return (
    <form
      class="note-form"
      onSubmit={(event) => {
        event.preventDefault()
        void submit()
      }}
    >
      <textarea
        ref={field}
        rows={3}
        aria-label="Note"
        placeholder="A note for your colleagues"
        value={text}
        onInput={({ currentTarget }) => setText(currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) void submit()
          if (event.key === "Escape" && text === "") onDone()
        }}
      />
      <button type="submit" disabled={text.trim() === ""} aria-disabled={isSaving}>
        Save the note <kbd>Ctrl Enter</kbd>
      </button>
    </form>
  )
}
