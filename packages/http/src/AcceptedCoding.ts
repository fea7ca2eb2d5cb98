/** Codings of bodies that a request accepts. */

/** Returns the smallest coding that `Accept-Encoding` allows. Codings that it does not name are not used. */
export const codingOf = (accepted: string | undefined): "br" | "gzip" | "identity" => {
  const weights = new Map<string, number>()
  for (const part of (accepted ?? "").toLowerCase().split(",")) {
    const [coding = "", ...parameters] = part.split(";").map((text) => text.trim())
    const [, weight = "1"] = /^q=(\d(?:\.\d*)?)$/.exec(parameters[0] ?? "") ?? []
    weights.set(coding, Number(weight))
  }
  const weightOf = (coding: string) => weights.get(coding) ?? weights.get("*") ?? 0
  if (weightOf("br") > 0 && weightOf("br") >= weightOf("gzip")) return "br"
  return weightOf("gzip") > 0 ? "gzip" : "identity"
}
