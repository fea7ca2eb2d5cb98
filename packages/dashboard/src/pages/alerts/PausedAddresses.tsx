/** Mail addresses that receive no mail, because a mail server rejected them as unknown. */
import type { PausedAddress } from "@errata/api/promise"
import { useState } from "preact/hooks"
import { pausedAddressesQuery, resumeAddress } from "../../data/mail.js"
import { useCan } from "../../data/me.js"
import { notify } from "../../data/notices.js"
import { useQuery } from "../../data/query.js"
import { Card, Loaded } from "../../parts/Loaded.js"
import { focusHeading } from "../../parts/Page.js"
import { Time } from "../../parts/Time.js"
import { useAction } from "../../parts/useAction.js"
import { cut, line } from "../../text/SafeText.js"

export const PausedAddresses = () => {
  const [after, setAfter] = useState<string | undefined>(undefined)
  const addresses = useQuery(pausedAddressesQuery(after))
  const mayChange = useCan("users.administer")
  return (
    <Card title="Paused addresses">
      <Loaded query={addresses} name="paused addresses">
        {({ addresses: all, next }) => (
          <>
            {all.length === 0 ? (
              <p class="nothing">
                None. An address is paused when a mail server says that it does not exist.
              </p>
            ) : (
              <ul class="rows">
                {all.map((address) => (
                  <Row key={address.address} address={address} mayChange={mayChange} />
                ))}
              </ul>
            )}
            {(after !== undefined || next !== null) && (
              <nav class="pager" aria-label="Pages of the list">
                {after !== undefined && (
                  <button type="button" onClick={() => setAfter(undefined)}>
                    First
                  </button>
                )}
                {next !== null && (
                  <button type="button" onClick={() => setAfter(next)}>
                    Next
                  </button>
                )}
              </nav>
            )}
          </>
        )}
      </Loaded>
    </Card>
  )
}

// internal

const Row = ({ address, mayChange }: { readonly address: PausedAddress; readonly mayChange: boolean }) => {
  const name = line(cut(address.address, 200))
  const { isBusy, run } = useAction("The address was not resumed.")
  const resume = () =>
    run(async () => {
      await resumeAddress(address.address)
      notify(`${name} gets mail again.`)
      focusHeading()
    })
  return (
    <li>
      <div class="grow">
        {name}
        <p class="faint">
          Paused <Time value={address.paused_at} />: {line(cut(address.detail, 300))}
        </p>
      </div>
      {mayChange && (
        <button type="button" aria-label={`Resume ${name}`} aria-disabled={isBusy} onClick={resume}>
          Resume
        </button>
      )}
    </li>
  )
}
