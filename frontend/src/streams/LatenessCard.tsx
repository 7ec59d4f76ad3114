import type { Activity } from "../core/api/streams";
import type { Stream } from "../core/api/types";
import { formatCounted, formatLength } from "../core/ui/format";
import { exceeds, Quantiles } from "./Quantiles";

const inUs: Readonly<Record<string, number>> = { us: 1, ms: 1e3, s: 1e6, min: 6e7, h: 3.6e9, d: 8.64e10 };

/** A length as it is declared (30s, 10min) in microseconds; 0 where it is none. */
function micros(text: string): number {
  const found = /^([\d.]+)(us|ms|s|min|h|d)$/.exec(text.trim());
  return found ? Number(found[1]) * (inUs[found[2] ?? ""] ?? 0) : 0;
}

interface Props {
  lateness: Activity["lateness"];
  stream: Stream;
  /** Undefined where it is another person's stream. */
  use: ((lateness: string) => void) | undefined;
}

/** How late the events of the last hour came, and whether that fits what is allowed. */
export function LatenessCard({ lateness, stream, use }: Props) {
  const allowed = micros(stream.allowed_lateness);
  const proposal = lateness?.proposal ?? null;
  const tooLate = lateness !== null && exceeds(lateness.quantiles.p999, allowed);
  const generous = proposal !== null && micros(proposal) * 4 <= allowed && (lateness?.events ?? 0) >= 1000;
  return (
    <section className="card" data-testid="measured-lateness">
      <h2>Lateness</h2>
      {lateness === null ? (
        <p className="faint">No events in the last hour.</p>
      ) : (
        <>
          <p>
            Of {formatCounted(lateness.events, "events")} that came in the last hour,{" "}
            {lateness.unordered.toLocaleString("en")} arrived out of order. Allowed:{" "}
            {allowed === 0 ? "0 s" : formatLength(allowed)}.
          </p>
          <Quantiles quantiles={lateness.quantiles} allowed={allowed} />
          {proposal !== null && (tooLate || generous) && (
            <p className="row">
              {tooLate
                ? `More than 0.1% of events arrive later than allowed and correct final results. ${proposal} would cover them.`
                : `${proposal} is enough, and results would be final sooner.`}
              {use && (
                <button type="button" onClick={() => use(proposal)}>
                  Use {proposal}
                </button>
              )}
            </p>
          )}
        </>
      )}
    </section>
  );
}
