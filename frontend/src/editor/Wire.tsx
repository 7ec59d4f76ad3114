import { BezierEdge, EdgeLabelRenderer, getBezierPath, type EdgeProps } from "@xyflow/react";
import { memo } from "react";
import { useFlow } from "../live/useFlow";
import { rate } from "../ui/words";
import { useStudio } from "./store";

/** How fast revisions go over the wire, while there are any. */
function Rate({ source, x, y }: { source: string; x: number; y: number }) {
  const flow = useFlow(useStudio((state) => (state.plan?.running ? state.statuses[source] : undefined)));
  if (flow === null || flow === 0) return null;
  return (
    <EdgeLabelRenderer>
      <span
        className="wire-rate"
        data-testid={`rate-${source}`}
        title={`${source} tells ${rate(flow)} revisions a second`}
        style={{ transform: `translate(-50%, -50%) translate(${x}px, ${y}px)` }}
      >
        {rate(flow)}/s
      </span>
    </EdgeLabelRenderer>
  );
}

export const Wire = memo(function Wire(props: EdgeProps) {
  const [, x, y] = getBezierPath(props);
  return (
    <>
      <BezierEdge {...props} />
      <Rate source={props.source} x={x} y={y} />
    </>
  );
});
