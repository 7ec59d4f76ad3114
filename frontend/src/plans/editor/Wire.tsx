import { BaseEdge, BezierEdge, EdgeLabelRenderer, getBezierPath, type EdgeProps } from "@xyflow/react";
import { memo } from "react";
import { buildWirePath, TURN, type Lane } from "../../core/graph/route";
import { useFlow } from "./useFlow";
import { formatRate } from "../../core/ui/format";
import { statusOf } from "./runningNodes";
import { useStudio } from "./store";

/** How fast revisions go over the wire, while there are any. */
function Rate({ source, x, y }: { source: string; x: number; y: number }) {
  const flow = useFlow(useStudio((state) => (state.plan?.running ? statusOf(state, source) : undefined)));
  if (flow === null || flow === 0) return null;
  return (
    <EdgeLabelRenderer>
      <span
        className="wire-rate"
        data-testid={`rate-${source}`}
        title={`${source} sends ${formatRate(flow)} updates per second`}
        style={{ transform: `translate(-50%, -50%) translate(${x}px, ${y}px)` }}
      >
        {formatRate(flow)}/s
      </span>
    </EdgeLabelRenderer>
  );
}

const NEAR = 16;

/** The lane around the nodes in between, unless one of its ends is being dragged away from it. */
function laneOf({ data, sourceX, targetX }: EdgeProps): Lane | null {
  const lane = data?.lane as Lane | undefined;
  if (!lane) return null;
  const isHere = Math.abs(lane.from - TURN - sourceX) < NEAR && Math.abs(lane.to + TURN - targetX) < NEAR;
  return isHere ? lane : null;
}

export const Wire = memo(function Wire(props: EdgeProps) {
  const lane = laneOf(props);
  if (lane === null) {
    const [, x, y] = getBezierPath(props);
    return (
      <>
        <BezierEdge {...props} />
        <Rate source={props.source} x={x} y={y} />
      </>
    );
  }
  const { id, sourceX, sourceY, targetX, targetY, style, markerEnd, interactionWidth } = props;
  const path = buildWirePath([sourceX, sourceY], [targetX, targetY], lane);
  return (
    <>
      <BaseEdge id={id} path={path} style={style} markerEnd={markerEnd} interactionWidth={interactionWidth} />
      <Rate source={props.source} x={(lane.from + lane.to) / 2} y={lane.y} />
    </>
  );
});
