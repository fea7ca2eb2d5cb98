/** The interfaces that access rules apply to. */
import {
  AccessPolicy,
  AccountMails,
  Activity,
  Actor,
  AlertRules,
  Apps,
  Artifacts,
  ArtifactUploads,
  CurrentActor,
  DeadLetters,
  Deliveries,
  Groups,
  Health,
  Intake,
  IntakeGuard,
  MemberMails,
  Members,
  Notes,
  OAuth,
  OwnGroups,
  Policies,
  ProjectReferences,
  Projects,
  RecorderSignal,
  Releases,
  Reports,
  Retention,
  type Services,
  Sessions,
  SignIn,
  SourcemapOrigins,
  SourcemapRetries,
  Tags,
  Targets,
  TestEvents,
  Triage,
  Users,
  Webhooks,
} from "@errata/core"
import { UserStore } from "@errata/core/ports"
import { SentryPayloadDecoder } from "@errata/sentry"
import { MemoryStorage } from "@errata/storage-memory"
import { Effect, Layer, ManagedRuntime, Option, Redacted } from "effect"
import { afterEach, describe, expect, it } from "vitest"
import { WebHandler } from "../../src/index.js"
import { memberKey } from "../support/TestInstance.js"

describe("Replaced access rules", () => {
  const runtimes: Array<{ readonly dispose: () => Promise<void> }> = []
  afterEach(async () => {
    for (const runtime of runtimes.splice(0).reverse()) await runtime.dispose()
  })

  const instance = async (rules: AccessPolicy.AccessRules) => {
    const services: Layer.Layer<Services.Services | Services.Stores> = Layer.mergeAll(
      Projects.Default,
      OwnGroups.Default,
      Tags.Default,
      Targets.Default,
      MemberMails.Default,
      AlertRules.Default,
      AccountMails.Default,
      Users.Default,
      SignIn.Default,
      Sessions.Default,
      OAuth.Default,
      Members.Default,
      SourcemapOrigins.Default,
      SourcemapRetries.Default,
      ProjectReferences.Default,
      Releases.Default,
      Artifacts.Default,
      ArtifactUploads.Default,
      Intake.Default,
      IntakeGuard.Default,
      Layer.provide(TestEvents.Default, Intake.Default),
      DeadLetters.Default,
      Apps.Default,
      Retention.Default,
      Deliveries.Default,
      Health.Default,
      Triage.Default,
    ).pipe(
      Layer.provideMerge(Reports.Default),
      Layer.provideMerge(
        Layer.mergeAll(Groups.Default, Activity.Default, Notes.Default, Webhooks.Default, Policies.Default),
      ),
      Layer.provideMerge(Layer.merge(AccessPolicy.layerWith(rules), RecorderSignal.Default)),
      Layer.provide(SentryPayloadDecoder.layer()),
      Layer.provideMerge(MemoryStorage.layer),
    )
    const runtime = ManagedRuntime.make(services)
    runtimes.push(runtime)
    const web = WebHandler.fromLayer(Layer.succeedContext(await runtime.context()))
    runtimes.push(web)
    await runtime.runPromise(
      Effect.gen(function* () {
        const { apps, projects, users } = yield* Effect.all({
          apps: AccessPolicy.instance("apps.administer"),
          projects: AccessPolicy.instance("projects.create"),
          users: AccessPolicy.instance("users.administer"),
        })
        const project = yield* (yield* Projects).create(projects, { name: "guarded" })
        const { user } = yield* (yield* Users).create(users, {
          name: "member",
          emailAddress: "member@example.com",
          role: "member",
          apiKey: Redacted.make(memberKey),
        })
        yield* (yield* UserStore).addMembership(user.id, project.id)
        yield* (yield* Apps).create(apps, { name: "app", projectIds: [project.id] })
      }).pipe(Effect.provideService(CurrentActor, Actor.System())),
    )
    const get = async (path: string) => {
      const headers = { authorization: `Bearer ${memberKey}` }
      const answer = await web.handler(new Request(`https://x.example/api/service/v1${path}`, { headers }))
      return { status: answer.status, json: await answer.json() }
    }
    /** Runs an effect as the member. */
    const asMember = <A, E>(effect: Effect.Effect<A, E, Services.Services | CurrentActor>) =>
      runtime.runPromise(
        Effect.gen(function* () {
          const user = Option.getOrThrow(yield* (yield* UserStore).findByEmailAddress("member@example.com"))
          const actor = Actor.Person({ user, grants: ["read", "write"] })
          return yield* Effect.provideService(effect, CurrentActor, actor)
        }),
      )
    return { asMember, get }
  }

  it("apply to lists and to single projects", async () => {
    const { project } = AccessPolicy.defaultRules
    const { get } = await instance({
      ...AccessPolicy.defaultRules,
      project: { ...project, "project.read": (actor) => AccessPolicy.admins(actor) },
    })
    expect((await get("/projects/1")).status).toBe(403)
    expect((await get("/projects")).json.projects).toEqual([])
    expect((await get("/apps")).json.apps).toEqual([])
  })

  it("determine the permissions that the caller receives", async () => {
    const { instance: ofInstance, project } = AccessPolicy.defaultRules
    const { get } = await instance({
      ...AccessPolicy.defaultRules,
      instance: { ...ofInstance, "projects.create": AccessPolicy.anyone },
      project: { ...project, "groups.change": (actor) => AccessPolicy.admins(actor) },
    })
    const { json: me } = await get("/me")
    expect(me.can).toContain("projects.create")
    expect(me.instance.base_url).toBe("https://x.example")
    const { can } = (await get("/projects/1/access")).json
    expect(can).toContain("groups.read")
    expect(can).not.toContain("groups.change")
  })

  it("answer 403 in a visible project, and 404 in others", async () => {
    const { project } = AccessPolicy.defaultRules
    const { asMember, get } = await instance({
      ...AccessPolicy.defaultRules,
      project: {
        ...project,
        "groups.change": (actor) => AccessPolicy.admins(actor),
        "assignees.read": (actor) => AccessPolicy.admins(actor),
      },
    })
    const refusal = (id: number) =>
      asMember(Effect.flip(Effect.flatMap(Triage, (triage) => triage.project("groups.change", id))))
    expect(await refusal(1)).toMatchObject({ _tag: "AccessDenied", rule: "groups.change" })
    expect(await refusal(2)).toMatchObject({ _tag: "NotAccessible", what: "project", id: 2 })
    expect((await get("/projects/1/assignees")).status).toBe(403)
  })
})
