/** Code that must not compile, so that access checks cannot be forgotten or swapped. */
import { Effect } from "effect"
import { describe, expectTypeOf, it } from "vitest"
import {
  AccessPolicy,
  type Actor,
  type AuthorizedInstance,
  type AuthorizedProject,
  type InstanceRule,
  type Project,
  type ProjectId,
  type ProjectRule,
} from "../../src/index.js"

declare const actor: Actor
declare const project: Project
declare const id: ProjectId
declare const readable: AuthorizedProject<"groups.read">
declare const changeable: AuthorizedProject<"groups.change">
declare const lister: AuthorizedInstance<"users.read">
declare const administrator: AuthorizedInstance<"users.administer">
declare const projectRule: ProjectRule
declare const instanceRule: InstanceRule

declare const change: (project: AuthorizedProject<"groups.change">) => void
declare const administer: (allowed: AuthorizedInstance<"users.administer">) => void

type Access = AccessPolicy.AccessPolicy["Service"]
type Allowed<Of> = Of extends Effect.Effect<infer A, infer _E, infer _R> ? A : never

// Only for the compiler: nothing here runs.
const compiled = (_statements: () => void) => undefined

describe("An authorization of the policy", () => {
  it("passes for its own rule", () => {
    compiled(() => {
      change(changeable)
      administer(administrator)
    })
    expectTypeOf<AuthorizedProject<"groups.change">>().toExtend<{ project: Project; actor: Actor }>()
    expectTypeOf<AuthorizedInstance<"users.read">>().toExtend<{ actor: Actor }>()
  })

  it("passes for no other rule", () => {
    compiled(() => {
      // @ts-expect-error
      change(readable)
      // @ts-expect-error
      administer(lister)
    })
  })

  it("does not pass for a union of rules", () => {
    expectTypeOf<typeof readable>().not.toExtend<AuthorizedProject<"groups.read" | "groups.change">>()
    expectTypeOf<typeof readable>().not.toExtend<AuthorizedProject<ProjectRule>>()
    expectTypeOf<typeof lister>().not.toExtend<AuthorizedInstance<"users.read" | "users.administer">>()
    expectTypeOf<typeof lister>().not.toExtend<AuthorizedInstance<InstanceRule>>()
  })

  it("of a project does not pass for the instance, and the reverse", () => {
    compiled(() => {
      // @ts-expect-error
      administer(changeable)
      // @ts-expect-error
      change(administrator)
      // @ts-expect-error
      const _allowed: AuthorizedInstance<"users.read"> = readable
    })
  })

  it("cannot be created by hand, by a copy, or by a subclass", () => {
    compiled(() => {
      // @ts-expect-error
      change({ project, actor })
      // @ts-expect-error
      administer({ actor })
      // @ts-expect-error
      change({ ...changeable })
      // @ts-expect-error
      change({ ...changeable, project })
      // @ts-expect-error
      administer({ ...administrator, actor })
      // @ts-expect-error
      change({ project, actor, rule: (rule: "groups.change") => rule })
      // @ts-expect-error
      class _Mine implements AuthorizedProject<"groups.change"> {
        readonly project = project
        readonly actor = actor
      }
      // @ts-expect-error
      new AccessPolicy.AuthorizedProject<"groups.change">(project, actor)
      // @ts-expect-error
      changeable.rule
    })
  })

  it("cannot be cast to that of another rule", () => {
    compiled(() => {
      // @ts-expect-error
      change(readable as AuthorizedProject<"groups.change">)
      // @ts-expect-error
      administer(lister as AuthorizedInstance<"users.administer">)
    })
  })
})

describe("The policy", () => {
  const asked = (access: Access) => ({
    one: access.project("groups.change", id),
    some: access.project(projectRule, id),
    either: access.project(actor._tag === "System" ? "groups.change" : "groups.read", id),
    unknown: access.project(JSON.parse("{}"), id),
    instance: access.instance("users.administer"),
    someInstance: access.instance(instanceRule),
    unknownInstance: access.instance(JSON.parse("{}")),
  })
  type Asked = { [Key in keyof ReturnType<typeof asked>]: Allowed<ReturnType<typeof asked>[Key]> }

  it("returns a proof for the requested rule", () => {
    expectTypeOf<Asked["one"]>().toEqualTypeOf<AuthorizedProject<"groups.change">>()
    expectTypeOf<Asked["instance"]>().toEqualTypeOf<AuthorizedInstance<"users.administer">>()
  })

  it("returns a proof for no rule if the requested rule is unknown", () => {
    type OfProject = { [Rule in ProjectRule]: AuthorizedProject<Rule> }[ProjectRule]
    type OfInstance = { [Rule in InstanceRule]: AuthorizedInstance<Rule> }[InstanceRule]
    expectTypeOf<Asked["some"]>().not.toExtend<OfProject>()
    expectTypeOf<Asked["either"]>().not.toExtend<OfProject>()
    expectTypeOf<Asked["unknown"]>().not.toExtend<OfProject>()
    expectTypeOf<Asked["someInstance"]>().not.toExtend<OfInstance>()
    expectTypeOf<Asked["unknownInstance"]>().not.toExtend<OfInstance>()
  })

  it("rejects a project rule for the instance, and the reverse", () => {
    compiled(() => {
      // @ts-expect-error
      AccessPolicy.instance("groups.read")
      // @ts-expect-error
      AccessPolicy.project("users.read", id)
    })
  })
})

describe("Functions for any rule", () => {
  const open = <Rule extends ProjectRule>(rule: Rule) => AccessPolicy.project(rule, id)
  const enter = <Rule extends InstanceRule>(rule: Rule) => AccessPolicy.instance(rule)

  it("keep the rule that they were called with", () => {
    const _read = () => open("groups.read")
    expectTypeOf<Allowed<ReturnType<typeof _read>>>().toEqualTypeOf<AuthorizedProject<"groups.read">>()
    compiled(() => {
      Effect.map(open("groups.change"), change)
      Effect.map(enter("users.administer"), administer)
    })
  })

  it("return no authorization for another rule or an open union", () => {
    compiled(() => {
      // @ts-expect-error
      Effect.map(open("groups.read"), change)
      // @ts-expect-error
      Effect.map(open(projectRule), change)
      // @ts-expect-error
      Effect.map(open<"groups.read" | "groups.change">("groups.read"), change)
      // @ts-expect-error
      Effect.map(enter("users.read"), administer)
      // @ts-expect-error
      Effect.map(enter(instanceRule), administer)
    })
  })

  it("cannot narrow a generic rule", () => {
    compiled(() => {
      void (<Rule extends ProjectRule>(allowed: AuthorizedProject<Rule>) => {
        // @ts-expect-error
        change(allowed)
        // @ts-expect-error
        const _any: AuthorizedProject<ProjectRule> = allowed
        return allowed.project
      })
      void (<Rule extends InstanceRule>(allowed: AuthorizedInstance<Rule>) => {
        // @ts-expect-error
        administer(allowed)
        return allowed.actor
      })
    })
  })
})

describe("The table of grants", () => {
  it("has a grant for every rule", () => {
    type Table = typeof AccessPolicy.requiredGrants
    expectTypeOf<keyof Table>().toEqualTypeOf<InstanceRule | ProjectRule | AccessPolicy.NoteRule>()
    compiled(() => {
      const { "users.read": _left, ...others } = AccessPolicy.requiredGrants
      // @ts-expect-error
      const _table: Table = others
    })
  })
})
