import { hostname } from "node:os"

/** What people know a part of this process by in a database that several share. */
export const nodeName = (part: "server" | "recorder"): string => `${hostname()}:${process.pid}:${part}`
