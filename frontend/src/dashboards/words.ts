/** Values, titles and states of charts in words. */
import type { Source } from "../core/api/dashboards";
import type { Scalar } from "../core/api/types";
import { formatInstant } from "../core/time/format";
import { AS_GUESSED, formatValue, type Display } from "../timechart/display";

/** As many digits after the point as count: 12.30, 120.8, 1,204, 0.0042. */
function digitsOf(value: number): number {
  const size = Math.abs(value);
  return size >= 1000 ? 0 : size >= 100 ? 1 : size >= 1 ? 2 : 4;
}

const spellers = new Map<string, Intl.NumberFormat>();

/** Made once for each way of spelling: making one takes longer than hundreds of numbers. */
function spellerOf(most: number, least: number): Intl.NumberFormat {
  const name = `${most} ${least}`;
  const numberFormat =
    spellers.get(name) ??
    new Intl.NumberFormat("en", {
      maximumFractionDigits: most,
      minimumFractionDigits: least,
      signDisplay: "negative",
    });
  spellers.set(name, numberFormat);
  return numberFormat;
}

/** A number, short; one that is `steady` in its digits does not jump about while it climbs. */
export function spellNumber(value: number, steady = false): string {
  const digits = digitsOf(value);
  return spellerOf(digits, steady ? Math.min(digits, 2) : 0)
    .format(value)
    .replace("-", "−");
}

/** A value in the format of its node; a unit that the chart names itself stands before the node's. */
export function spellValue(
  value: Scalar | null,
  unit = "",
  steady = false,
  display: Display = AS_GUESSED,
): string {
  if (value === null) return "unknown";
  const own = unit === "" || display.format === "currency" ? display : { ...display, unit };
  return formatValue(value, own, (number) => spellNumber(number, steady));
}

/** How a value changed: +1.2, −3, ±0; null where it was or is no number. */
export function spellChange(
  now: number | null,
  then: number | null,
  display: Display = AS_GUESSED,
): string | null {
  if (now === null || then === null) return null;
  const text = spellValue(
    Math.abs(now - then),
    "",
    false,
    display.format === "currency" ? display : { ...display, unit: undefined },
  );
  return text === "0" ? "±0" : `${now > then ? "+" : "−"}${text}`;
}

/** Which node a chart shows: of which plan, and how it was called when the chart was saved. */
export function describeNode(saved: string, source: Source | undefined): string {
  const of = source?.plan_name ? ` of ${source.plan_name}` : "";
  return source?.now ? `${source.now}${of}, formerly ${saved}` : `${saved}${of}`;
}

export interface ChartProblem {
  title: string;
  hint: string;
  /** Whether what was known until then can still be shown. */
  past: boolean;
  /** Nothing is wrong: somebody wanted it so. */
  calm?: boolean;
}

/** What keeps a chart from being live, or null. */
export function findChartProblem(source: Source): ChartProblem | null {
  const plan = source.plan_name === null ? `plan ${source.plan}` : `“${source.plan_name}”`;
  const past = source.digest !== null;
  switch (source.state) {
    case "running":
      if (source.observed !== "failed") return null;
      return {
        title: `${source.now ?? source.node} has failed`,
        hint: source.error ?? source.words ?? "",
        past,
      };
    case "stopped": {
      const { stopped_at: at } = source;
      const hint = at === null ? `Run ${plan} to continue.` : `Last updated ${formatInstant(at)}.`;
      return { title: "The plan is stopped", hint, past, calm: true };
    }
    case "not_run":
      return {
        title: `${source.node} does not run yet`,
        hint: `It is in the draft of ${plan}, but not in what runs. Apply the changes.`,
        past,
      };
    case "gone":
      return { title: `${source.node} is gone`, hint: `${plan} no longer has this node.`, past };
    case "deleted":
      return {
        title: "The plan was deleted",
        hint: "Remove the chart, or choose another node for it.",
        past,
      };
  }
}
