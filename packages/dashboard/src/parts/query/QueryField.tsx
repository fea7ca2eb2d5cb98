/** The query: a plain text field with colors behind its text, and a list that completes it. */
import Combobox from "@github/combobox-nav"
import type { RefObject } from "preact"
import { useEffect, useId, useLayoutEffect, useRef, useState } from "preact/hooks"
import { fetchTagValues, useTagKeys } from "../../data/projectTags.js"
import { type Option, optionsFor, valuesWanted } from "./Completion.js"
import { hasUnknown, piecesOf, replaced, tokenAt } from "./QueryText.js"
import "../../styles/query.css"

/** Puts the cursor behind the query, where its next part can be typed. */
export const focusQuery = (): void => {
  const field = document.getElementById(queryFieldId)
  if (!(field instanceof HTMLInputElement)) return
  field.focus()
  const { value } = field
  field.setRangeText(/\S$/.test(value) ? " " : "", value.length, value.length, "end")
  field.dispatchEvent(new InputEvent("input"))
}

const examples = {
  page: "is:unresolved environment:production timeout",
  part: "error_type:TypeError timeout",
}

/** The properties of the field. */
interface Props {
  /** The query of the page. */
  readonly query: string
  /** The project whose values are suggested, or null. */
  readonly projectId: number | null
  /** The reader presses Enter. */
  readonly onQuery?: (query: string) => void
  /** Makes it a field of another form, which gets the text with each change. */
  readonly part?: {
    readonly label: string
    readonly isInvalid: boolean
    readonly onText: (query: string) => void
  }
}

export const QueryField = ({ query, projectId, onQuery = () => undefined, part }: Props) => {
  const [text, keepText] = useState(query)
  const [cursor, setCursor] = useState<number | null>(null)
  const [options, setOptions] = useState<ReadonlyArray<Option>>([])
  const input = useRef<HTMLInputElement>(null)
  const colors = useRef<HTMLDivElement>(null)
  const list = useRef<HTMLDivElement>(null)
  // Most queries have no key that only a project knows, and are not edited.
  const tagKeys = useTagKeys(projectId, cursor !== null || hasUnknown(text))
  useEffect(() => keepText(query), [query])
  const setText = (text: string) => {
    keepText(text)
    part?.onText(text)
  }
  useCompletion(text, cursor, projectId, tagKeys, setOptions)
  useCombobox(input.current, list.current, options)

  const close = () => setCursor(null)
  const complete = (option: Option) => {
    const field = input.current
    if (field === null) return
    const next = replaced(text, tokenAt(text, field.selectionStart ?? text.length), option.text)
    // Before the state changes, so that the cursor position is kept.
    field.value = next.query
    field.setSelectionRange(next.cursor, next.cursor)
    setText(next.query)
    setCursor(next.cursor)
  }
  const follow = () => {
    if (colors.current !== null && input.current !== null)
      colors.current.scrollLeft = input.current.scrollLeft
  }
  const content = (
    <>
      <span class="glass" aria-hidden="true">
        ⌕
      </span>
      <div class="query-text">
        <div ref={colors} class="query-colors" aria-hidden="true">
          {piecesOf(text, tagKeys).map(({ kind, text }, index) => (
            <span key={index} class={kind}>
              {text}
            </span>
          ))}
        </div>
        <input
          ref={input}
          id={part === undefined ? queryFieldId : undefined}
          type="text"
          aria-label={part?.label ?? "Filter groups"}
          aria-invalid={part?.isInvalid}
          placeholder={part === undefined ? examples.page : examples.part}
          autocomplete="off"
          autocapitalize="off"
          spellcheck={false}
          maxLength={1000}
          value={text}
          onInput={({ currentTarget }) => {
            setText(currentTarget.value)
            setCursor(currentTarget.selectionStart)
          }}
          onClick={({ currentTarget }) => setCursor(currentTarget.selectionStart)}
          onFocus={({ currentTarget }) => setCursor(currentTarget.selectionStart)}
          onBlur={close}
          onScroll={follow}
          onKeyUp={follow}
          onKeyDown={(event) => {
            if (event.key !== "Escape") return
            if (options.length > 0 && cursor !== null) close()
            else event.currentTarget.blur()
          }}
        />
        <Completions list={list} options={options} complete={complete} />
      </div>
      {text !== "" && (
        <button
          type="button"
          class="quiet"
          aria-label="Clear the query"
          onClick={() => {
            setText("")
            onQuery("")
            input.current?.focus()
          }}
        >
          ✕
        </button>
      )}
    </>
  )
  if (part !== undefined) return <div class="query">{content}</div>
  return (
    <form
      class="query"
      aria-label="Query"
      onSubmit={(event) => {
        event.preventDefault()
        close()
        onQuery(text.trim())
      }}
    >
      {content}
      <kbd>/</kbd>
    </form>
  )
}

// internal

const queryFieldId = "query"

const Completions = ({
  list,
  options,
  complete,
}: {
  readonly list: RefObject<HTMLDivElement | null>
  readonly options: ReadonlyArray<Option>
  readonly complete: (option: Option) => void
}) => (
  <div
    ref={list}
    id={useId()}
    role="listbox"
    aria-label="Completions"
    class="completions"
    hidden={options.length === 0}
  >
    {options.map((option) => (
      // biome-ignore lint/a11y/useFocusableInteractive: the field keeps the focus and names the active option.
      // biome-ignore lint/a11y/useKeyWithClickEvents: keys of the field choose options.
      <div
        key={option.text}
        role="option"
        aria-selected="false"
        // Keeps the focus in the field.
        onPointerDown={(event) => event.preventDefault()}
        onClick={() => complete(option)}
      >
        <code>{option.text}</code>
        {option.hint !== null && <span>{option.hint}</span>}
      </div>
    ))}
  </div>
)

/** Options for the token at the cursor. Values of tags arrive from the server later. */
const useCompletion = (
  text: string,
  cursor: number | null,
  projectId: number | null,
  tagKeys: ReadonlyArray<string>,
  setOptions: (options: ReadonlyArray<Option>) => void,
): void => {
  // With the text: later options would reset the selection of an arrow key.
  useLayoutEffect(() => {
    if (cursor === null) return setOptions([])
    const token = tokenAt(text, cursor)
    setOptions(optionsFor(token, tagKeys, []))
    const wanted = valuesWanted(token)
    if (wanted === null || projectId === null) return
    let isCurrent = true
    const timer = setTimeout(async () => {
      const values = await fetchTagValues(projectId, wanted.key, wanted.prefix)
      if (isCurrent && values.length > 0) setOptions(optionsFor(token, tagKeys, values))
    }, 120)
    return () => {
      isCurrent = false
      clearTimeout(timer)
    }
  }, [text, cursor, projectId, tagKeys, setOptions])
}

/** Arrow keys, Enter and Tab. Enter without a chosen option submits the form. */
const useCombobox = (
  input: HTMLInputElement | null,
  list: HTMLElement | null,
  options: ReadonlyArray<Option>,
): void => {
  const combobox = useRef<Combobox | null>(null)
  useLayoutEffect(() => {
    if (input === null || list === null) return
    const made = new Combobox(input, list)
    combobox.current = made
    return () => made.destroy()
  }, [input, list])
  // Before the options are painted: a reader may press a key as soon as they see them.
  useLayoutEffect(() => {
    if (options.length === 0) return
    combobox.current?.start()
    return () => combobox.current?.stop()
  }, [options])
}
