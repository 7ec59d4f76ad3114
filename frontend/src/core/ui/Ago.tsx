import { formatMoment, microsOf } from "../time/format";
import { ago } from "./format";

/** How long ago something was; and on the pointer when. */
export function Ago({ at, now }: { at: string; now: number }) {
  return (
    <time dateTime={at} title={formatMoment(microsOf(at))}>
      {ago(at, now)}
    </time>
  );
}
