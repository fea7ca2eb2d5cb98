import { signal } from "@preact/signals"
import { useRef } from "preact/hooks"
import { LocationProvider, useLocation } from "preact-iso/router"
import { Shown } from "../data/shown.js"
import { lazyPage } from "../parts/lazyPage.js"
import { loadGroupPage } from "./group/loadGroupPage.js"
import { GroupsPage } from "./groups/GroupsPage.js"

type Params = Readonly<Record<string, string>>

/** A list, or a group. The list stays mounted behind its groups, so that going back only has to show it again. */
export const GroupPages = ({ params = {} }: { readonly params?: Params }) => {
  const location = useLocation()
  const isList = params["group"] === undefined
  const list = useRef<{ readonly location: typeof location; readonly params: Params } | null>(null)
  if (isList && list.current?.location.url !== location.url) list.current = { location, params }
  return (
    <>
      {!isList && <GroupPage params={params} />}
      {list.current !== null && (
        // A hidden list keeps its own location.
        <LocationProvider.ctx.Provider value={list.current.location}>
          <Shown.Provider value={isList || !isLoaded.value}>
            <GroupsPage params={list.current.params} />
          </Shown.Provider>
        </LocationProvider.ctx.Provider>
      )}
    </>
  )
}

// internal

/** Until the code of the other page is loaded, the list stays in sight. */
const isLoaded = signal(false)

const GroupPage = lazyPage(async () => {
  const { GroupPage } = await loadGroupPage()
  isLoaded.value = true
  return GroupPage
})
