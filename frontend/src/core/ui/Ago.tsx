import { formatMoment, microsOf } from "../time/format";
import { formatAgo } from "./format";

/** How long ago something was; and on the pointer when. */
export function Ago({ at, now }: { at: string; now: number }) {
  return (
    <time dateTime={at} title={formatMoment(microsOf(at))}>
      {formatAgo(at, now)}
    </time>
  );
}
