/** When an alert on a number fires, as somebody fills it in, and as parameters of an alert node. */

export interface LimitsDraft {
  crosses: "above" | "below";
  limit: string;
  clear: string;
  wait: string;
  clearAfter: string;
}

export const NO_LIMITS: LimitsDraft = { crosses: "above", limit: "", clear: "", wait: "", clearAfter: "" };

const DURATION = /^\d+(\.\d+)?(us|ms|s|min|h|d)$/;

const isNumber = (text: string): boolean => text.trim() !== "" && Number.isFinite(Number(text));
/** 5 min is written 5min. */
const spellDuration = (text: string): string => text.replaceAll(" ", "");
const isDuration = (text: string): boolean => text.trim() === "" || DURATION.test(spellDuration(text));

/** Why there can be no alert node of these, or null. */
export function refusesLimits({ crosses, limit, clear, wait, clearAfter }: LimitsDraft): string | null {
  if (!isNumber(limit)) return "Give the limit as a number.";
  if (clear.trim() !== "" && !isNumber(clear))
    return "Give the limit for clearing as a number, or leave it empty.";
  const isWrongSide = crosses === "above" ? Number(clear) > Number(limit) : Number(clear) < Number(limit);
  if (clear.trim() !== "" && isWrongSide)
    return `The limit for clearing must be at ${crosses === "above" ? "most" : "least"} ${limit.trim()}.`;
  if (!isDuration(wait) || !isDuration(clearAfter)) return "Write a duration such as 30s, 5min or 1h.";
  return null;
}

/** As an alert node has them. */
export function toParameters({
  crosses,
  limit,
  clear,
  wait,
  clearAfter,
}: LimitsDraft): Record<string, number | string> {
  return {
    [crosses]: Number(limit),
    ...(clear.trim() === "" ? {} : { clear: Number(clear) }),
    ...(wait.trim() === "" ? {} : { for: spellDuration(wait) }),
    ...(clearAfter.trim() === "" ? {} : { clear_after: spellDuration(clearAfter) }),
  };
}
