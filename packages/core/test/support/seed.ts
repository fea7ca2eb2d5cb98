/** Property tests draw the same cases in every run, in whatever order their files come. */
import * as fc from "fast-check"

fc.configureGlobal({ seed: 20250131 })
