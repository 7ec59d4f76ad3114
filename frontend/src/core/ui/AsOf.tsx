import { describeAsOf } from "./freshnessWords";

/** Over what was told before the page was cut off. */
export function AsOf({ lostAt }: { lostAt: number | null }) {
  if (lostAt === null) return null;
  return (
    <p className="as-of" role="status" data-testid="as-of">
      {describeAsOf(lostAt)}
    </p>
  );
}
