import type { Quantiles as Measured } from "../core/api/streams";
import { formatLength } from "../core/ui/format";

const SHOWN = [
  ["p50", "half"],
  ["p90", "90 %"],
  ["p99", "99 %"],
  ["p999", "99.9 %"],
  ["max", "all"],
] as const;

interface Props {
  quantiles: Measured;
  /** What is longer is marked; null: nothing is. */
  allowed: number | null;
}

/** What is measured is known to a twelfth, rounded up. */
const EXACT = 1 + 1 / 12;

/** Whether it is certain that some come later than is allowed. */
export const exceeds = (late: number, allowed: number): boolean => late > allowed * EXACT;

/** How late which part of the events is at most. */
export function Quantiles({ quantiles, allowed }: Props) {
  return (
    <dl className="figures">
      {SHOWN.map(([name, words]) => {
        const late = quantiles[name];
        return (
          <div key={name}>
            <dt>{words}</dt>
            <dd className={allowed !== null && exceeds(late, allowed) ? "amber" : undefined}>
              {late === 0 ? "0 s" : formatLength(late)}
            </dd>
          </div>
        );
      })}
    </dl>
  );
}
