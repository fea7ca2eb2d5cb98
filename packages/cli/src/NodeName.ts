import { hostname } from "node:os"

/** Returns the node name that people see for a part of this process: `HOST:PID:PART`. */
export const nodeName = (part: "server" | "recorder"): string => `${hostname()}:${process.pid}:${part}`
