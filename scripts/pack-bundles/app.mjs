// An application with the dashboard, to bundle.
import { dashboard } from "@errata/dashboard"
import { report } from "./reporting.mjs"

void report({ dashboard }, "/projects")
