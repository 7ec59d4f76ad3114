/** The funnel of a sequence: runs that began in the time range. */
import { useCallback, useRef, useState } from "react";
import { FunnelFoot, FunnelSteps, StoppedKeys } from "../timechart/FunnelSteps";
import { useDisplay } from "../timechart/displays";
import { useFunnel } from "../timechart/useFunnel";
import { seenWindow } from "./clock";
import { useLive, useSeen } from "./hooks";
import { lanesHref } from "./KeyRowsChart";
import type { ManyProps } from "./ranks";
import { get, rangeOf, sourceId, useBoard } from "./store";

/** Changes with the time range, and not while that only moves with the clock. */
const rangeNow = (): string => {
  const { fixed } = get().view;
  return fixed === null ? rangeOf(get()) : `${fixed.start} ${fixed.end}`;
};

export function FunnelChart({ chart, digest }: ManyProps) {
  const place = useRef<HTMLDivElement>(null);
  const isSeen = useSeen(place);
  const [step, choose] = useState<string | null>(null);
  const range = useLive(rangeNow);
  const { count } = chart;
  const display = useDisplay(digest);
  const isGroup = useBoard((state) => state.sources[sourceId(chart)]?.grouped ?? false);
  const question = useCallback(() => ({ ...seenWindow(), count, step: step ?? undefined }), [count, step]);
  const of = isSeen ? `${range} ${count} ${step}` : null;
  const { funnel, failure } = useFunnel(digest, of, question);
  return (
    <div
      className="funnel-chart"
      ref={place}
      tabIndex={0}
      role="region"
      aria-label={`Funnel of ${chart.node}`}
    >
      {failure !== null && <p className="chart-empty faint">{failure}</p>}
      {funnel && <FunnelSteps {...{ funnel, display, choose }} chosen={step} />}
      {funnel && <FunnelFoot funnel={funnel} />}
      {funnel && step !== null && (
        <StoppedKeys
          {...{ funnel, step, display }}
          keyOf={(key) => <a href={lanesHref(chart, isGroup, key)}>{key}</a>}
        />
      )}
    </div>
  );
}
