/** Accepted payloads that could not be recorded. */
import { useState } from "preact/hooks"
import { useLocation } from "preact-iso/router"
import {
  type DeadLetter,
  deadLettersQuery,
  discardDeadLetter,
  retryDeadLetter,
  retryDeadLetters,
} from "../../data/health.js"
import { useCan } from "../../data/me.js"
import { notify } from "../../data/notices.js"
import { useProjects } from "../../data/projects.js"
import { useQuery } from "../../data/query.js"
import { Confirm } from "../../parts/Confirm.js"
import { Card, Loaded } from "../../parts/Loaded.js"
import { focusHeading } from "../../parts/Page.js"
import { cursorOf, Pager } from "../../parts/Pager.js"
import { Text } from "../../parts/Text.js"
import { Time } from "../../parts/Time.js"
import { useAction } from "../../parts/useAction.js"
import { nameOf } from "../../text/Names.js"
import { bytes, counted } from "../../text/Numbers.js"
import { cut, line } from "../../text/SafeText.js"

export const DeadLetters = () => {
  const { query } = useLocation()
  const cursor = cursorOf(query["cursor"])
  const letters = useQuery(deadLettersQuery(cursor))
  const mayRetry = useCan("ingest.retry")
  const mayDiscard = useCan("ingest.discard")
  const [isAsking, setAsking] = useState(false)
  const hasSome = (letters.data?.dead_letters.length ?? 0) > 0
  return (
    <Card
      title="Dead letters"
      actions={
        mayRetry &&
        hasSome && (
          <button type="button" onClick={() => setAsking(true)}>
            Retry all…
          </button>
        )
      }
    >
      <Loaded query={letters} name="dead letters">
        {({ dead_letters: all, next_cursor: next }) => (
          <>
            {all.length === 0 ? (
              <p class="nothing">None. Payloads that cannot be recorded are kept here.</p>
            ) : (
              <ul class="rows">
                {all.map((letter) => (
                  <Row key={letter.id} letter={letter} mayRetry={mayRetry} mayDiscard={mayDiscard} />
                ))}
              </ul>
            )}
            <Pager path="settings/health" cursor={cursor} next={next} />
          </>
        )}
      </Loaded>
      {isAsking && <RetryAll onClose={() => setAsking(false)} />}
    </Card>
  )
}

// internal

const Row = ({
  letter,
  mayRetry,
  mayDiscard,
}: {
  readonly letter: DeadLetter
  readonly mayRetry: boolean
  readonly mayDiscard: boolean
}) => {
  const event = line(cut(letter.event_id, 40))
  const [isDiscarding, setDiscarding] = useState(false)
  const project = useProjects().data?.find(({ id }) => id === letter.project_id)
  const { isBusy, run } = useAction("The payload was not retried.")
  const retry = () =>
    run(async () => {
      await retryDeadLetter(letter.id)
      notify("The payload is in the queue again. It returns to this list if it cannot be recorded.")
      focusHeading()
    })
  return (
    <li class="letter">
      <div class="grow">
        <Text value={letter.reason} max={500} />
        <p class="faint">
          {project === undefined ? `Project ${letter.project_id}` : nameOf(project)} ·{" "}
          <Time value={letter.received_at} /> · {bytes(letter.bytes)} · event <code>{event}</code>
        </p>
      </div>
      {mayRetry && (
        <button
          type="button"
          aria-disabled={isBusy}
          aria-label={`Retry the payload of event ${event}`}
          onClick={retry}
        >
          Retry
        </button>
      )}
      {mayDiscard && (
        <button
          type="button"
          aria-label={`Discard the payload of event ${event}…`}
          onClick={() => setDiscarding(true)}
        >
          Discard…
        </button>
      )}
      {isDiscarding && <Discard letter={letter} onClose={() => setDiscarding(false)} />}
    </li>
  )
}

const Discard = ({ letter, onClose }: { readonly letter: DeadLetter; readonly onClose: () => void }) => (
  <Confirm
    title="Discard the dead letter?"
    action="Discard"
    done="Discarded the dead letter."
    run={() => discardDeadLetter(letter.id)}
    onClose={onClose}
  >
    {() => <p>Errata deletes this payload without recording it. It cannot be restored.</p>}
  </Confirm>
)

const RetryAll = ({ onClose }: { readonly onClose: () => void }) => (
  <Confirm
    title="Retry all dead letters?"
    action="Retry all"
    isDangerous={false}
    run={async () => {
      notify(`${counted(await retryDeadLetters(), "payload")} went back into the queue.`)
    }}
    onClose={(isDone) => {
      onClose()
      if (isDone) focusHeading()
    }}
  >
    {() => (
      <p>
        This moves the dead letters of all projects back into the queue. It helps after an upgrade that fixes
        their cause. Payloads that still cannot be recorded return to this list.
      </p>
    )}
  </Confirm>
)
