import { formatCounted } from "../core/ui/format";
import { useLanes } from "./store";

/** Says that what is shown was computed of the newest events only, and by nothing that runs. */
export function PreviewMark() {
  const events = useLanes((state) => state.preview?.events);
  const streams = Object.entries(events ?? {}).map(
    ([stream, some]) => `${formatCounted(some, "event")} of ${stream}`,
  );
  const title = `Computed on the newest events (${streams.join(", ")}). Run the plan for all of them, live.`;
  return (
    <span className="preview-mark" title={title}>
      preview
    </span>
  );
}
