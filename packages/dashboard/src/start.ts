/** Requests the data of the page, and then starts the app. */
import { areSent } from "./data/ahead.js"

void areSent.then(() => import("./main.js"))
