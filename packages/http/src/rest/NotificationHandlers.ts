import {
  MailSettingsUpdate,
  mailSettingsView,
  Problem,
  pageFields,
  pausedAddressView,
} from "@errata/api/internal"
import { AccessPolicy, GroupId, MemberMails, Page, ProjectId, TargetId, Targets } from "@errata/core"
import { Effect } from "effect"
import * as AuthorizedBody from "./AuthorizedBody.js"
import * as NotificationViews from "./NotificationViews.js"
import { pageRequest } from "./Paging.js"
import { toProblems } from "./Problems.js"
import type { HandlersOf } from "./ServedApi.js"

export const make = (handlers: HandlersOf<"notifications">) =>
  Effect.gen(function* () {
    const access = yield* AccessPolicy.AccessPolicy
    const targets = yield* Targets

    return handlers.handle("list", ({ params, query }) =>
      Effect.gen(function* () {
        const projectId = ProjectId.make(params.project_id)
        const project = yield* access.project("alerts.read", projectId)
        const isAdmin = yield* access.project("alerts.administer", projectId).pipe(
          Effect.as(true),
          Effect.catchTag("AccessDenied", () => Effect.succeed(false)),
        )
        const { group_id, rule_id = null, status = null, target_id } = query
        const page = yield* targets.history(
          project,
          {
            targetId: target_id === undefined ? null : TargetId.make(target_id),
            groupId: group_id === undefined ? null : GroupId.make(group_id),
            ruleId: rule_id,
            status,
          },
          pageRequest(query),
        )
        const known = yield* targets.list(project)
        return {
          notifications: yield* NotificationViews.make(page.items, known, isAdmin),
          ...pageFields(page),
        }
      }).pipe(toProblems),
    )
  })

/** A person's settings for the mail of a project. */
export const makeMailSettings = (handlers: HandlersOf<"mailSettings">) =>
  Effect.gen(function* () {
    const access = yield* AccessPolicy.AccessPolicy
    const mails = yield* MemberMails

    return handlers
      .handle("get", ({ params }) =>
        Effect.flatMap(access.project("project.read", ProjectId.make(params.project_id)), mails.get).pipe(
          Effect.map((settings) => mailSettingsView(settings, mails.sendsMail)),
          toProblems,
        ),
      )
      .handleRaw("update", ({ params, request }) =>
        AuthorizedBody.use(
          request,
          MailSettingsUpdate,
          access.project("mail.change", ProjectId.make(params.project_id)),
          (input, project) => mails.update(project, input),
        ).pipe(
          Effect.map((settings) => mailSettingsView(settings, mails.sendsMail)),
          toProblems,
        ),
      )
  })

/** Addresses that receive no mail. */
export const makePausedAddresses = (handlers: HandlersOf<"pausedAddresses">) =>
  Effect.gen(function* () {
    const access = yield* AccessPolicy.AccessPolicy
    const mails = yield* MemberMails

    return handlers
      .handle("page", ({ query: { after = "", limit = Page.defaultPageSize } }) =>
        Effect.gen(function* () {
          const size = Math.min(limit, Page.maxPageSize)
          // One more shows whether another page follows.
          const found = yield* mails.paused(yield* access.instance("users.read"), after, size + 1)
          const addresses = found.slice(0, size).map(pausedAddressView)
          return { addresses, next: found.length > size ? (addresses.at(-1)?.address ?? null) : null }
        }).pipe(toProblems),
      )
      .handle("resume", ({ params: { address } }) =>
        Effect.gen(function* () {
          const allowed = yield* access.instance("users.administer")
          const wasPaused = isAddress(address) && (yield* mails.resume(allowed, address))
          if (!wasPaused) return yield* Effect.fail(Problem.notFound("No such paused address"))
        }).pipe(toProblems),
      )
  })

// internal

/** No paused address is longer, and storages reject these characters. */
const isAddress = (text: string): boolean => text.length <= 400 && !/[\0\p{Surrogate}]/u.test(text)
