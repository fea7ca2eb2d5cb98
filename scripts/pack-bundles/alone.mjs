// An application without the dashboard, for other runtimes and poolers.
import { report } from "./reporting.mjs"

void report({}, "/up")
