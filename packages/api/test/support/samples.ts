/** Answers of the API, as they are on the wire. */
import type { Group, Project } from "../../src/promise/index.js"

const at = "2026-01-02T03:04:05.678Z"

export const project = (id = 1): Project => ({
  id,
  name: `project ${id}`,
  platform: "node",
  timezone: "UTC",
  token: "0123456789abcdef0123456789abcdef",
  groups_count: 0,
  reports_count: 0,
  muted: false,
  muted_at: null,
  muted_until: null,
  muter_id: null,
  first_report_at: null,
  last_report_at: null,
  last_contact_at: null,
  created_at: at,
  updated_at: at,
})

export const group = (id = 1): Group => ({
  id,
  project_id: 1,
  error_type: "TypeError",
  error_message: "x is undefined",
  culprit: "app.js in main",
  fingerprint: "v2:00",
  severity: "error",
  occurred_at: at,
  first_occurred_at: at,
  last_occurred_at: at,
  reports_count: 1,
  notes_count: 0,
  resolved_at: null,
  resolver_id: null,
  muted_at: null,
  muter_id: null,
  muted_until: null,
  muted_until_reports_count: null,
  project_muted_at: null,
  project_muted_until: null,
  mute_source: null,
  resolved: false,
  muted: false,
  assignee_id: null,
  issue_url: null,
  web_url: null,
  created_at: at,
  updated_at: at,
})
