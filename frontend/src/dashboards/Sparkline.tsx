/** What a key of a table said over the window of the dashboard, as a small strip. */
import { useCallback, useMemo, useRef } from "react";
import { registerOfValues } from "../timechart/colourRegister";
import { useDisplay } from "../timechart/displays";
import { RowStrip } from "../timechart/KeyRow";
import { drawnKind } from "../timechart/lane";
import { knownUntil } from "./clock";
import { useLive, useSeen } from "./hooks";
import { useKeyRows, viewOf } from "./KeyRowsChart";
import { get } from "./store";

export function Sparkline({ digest, name }: { digest: string; name: string }) {
  const place = useRef<HTMLSpanElement>(null);
  const [feed, rows] = useKeyRows(digest, useSeen(place));
  const view = useLive(useCallback(() => viewOf(get()), []));
  const row = useMemo(() => rows.rows.find(({ key }) => key === name), [rows, name]);
  const display = useDisplay(digest);
  const register = useMemo(
    () => registerOfValues(row?.pieces.map(({ value }) => value) ?? [], display),
    [row, display],
  );
  return (
    <span className="sparkline" ref={place}>
      {row && (
        <RowStrip
          {...{ row, view, register }}
          kind={drawnKind(rows.kind ?? "bool")}
          until={knownUntil([feed], view.now)}
          finalUntil={rows.finalUntil}
        />
      )}
    </span>
  );
}
