/** States of rules, and the counts of limits. */
import type { AlertPlace, AlertState, AlertStore } from "@errata/core/ports"
import { DateTime } from "effect"
import { keyOf, type State } from "./State.js"

export const make = (state: State) =>
  ({
    // Needs no lock: transactions run one at a time.
    lockStates: (places) =>
      state.write((transaction) =>
        [...new Set(places.map(keyOfPlace))].flatMap((key) => state.alertStates.get(transaction, key) ?? []),
      ),

    putStates: (states) =>
      state.write((transaction) => {
        for (const { firing, groupId, notifiedAt, projectId, ruleId } of states) {
          if (!state.alertRules.has(transaction, ruleId)) continue
          const row: AlertState = { projectId, ruleId, groupId, notifiedAt, firing }
          state.alertStates.set(transaction, keyOfPlace(row), row)
        }
      }),

    firing: (projectId) =>
      state.read((reader) =>
        [...state.alertStates.entries(reader)]
          .map(([, row]) => row)
          .filter((row) => row.projectId === projectId && row.firing)
          .sort((self, that) => self.ruleId - that.ruleId || (self.groupId ?? 0) - (that.groupId ?? 0)),
      ),

    forgetStates: (before, limit) =>
      state.write((transaction) => {
        const old = [...state.alertStates.entries(transaction)]
          .filter(
            ([, { firing, notifiedAt }]) =>
              !firing && (notifiedAt === null || DateTime.isLessThan(notifiedAt, before)),
          )
          .slice(0, limit)
        for (const [key] of old) state.alertStates.delete(transaction, key)
        return old.length
      }),

    countNotifications: ({ endsAt, projectId, startsAt, targetId }, notifications, limit) =>
      state.write((transaction) => {
        const key = keyOf(projectId, targetId ?? 0, startsAt.epochMilliseconds)
        const known = state.notificationWindows.get(transaction, key) ?? {
          projectId,
          targetId,
          startsAt,
          endsAt,
          sent: 0,
          held: 0,
        }
        const granted = Math.min(notifications, Math.max(0, limit - known.sent))
        state.notificationWindows.set(transaction, key, {
          ...known,
          sent: known.sent + granted,
          held: known.held + notifications - granted,
        })
        return granted
      }),

    takeEndedWindows: (now, limit) =>
      state.write((transaction) => {
        const ended = [...state.notificationWindows.entries(transaction)]
          .filter(([, { endsAt }]) => !DateTime.isGreaterThan(endsAt, now))
          .sort(([, self], [, that]) => self.endsAt.epochMilliseconds - that.endsAt.epochMilliseconds)
        const held = ended.filter(([, row]) => row.held > 0).slice(0, limit)
        const others = ended.filter(([, row]) => row.held === 0).slice(0, limit)
        for (const [key] of [...held, ...others]) state.notificationWindows.delete(transaction, key)
        return held.map(([, { sent, ...window }]) => window)
      }),
  }) satisfies Partial<AlertStore["Service"]>

// internal

const keyOfPlace = ({ groupId, projectId, ruleId }: AlertPlace): string =>
  keyOf(projectId, ruleId, groupId ?? 0)
