import { useEffect, useMemo, useRef, useState } from "react";
import { GridLayout, type Layout } from "react-grid-layout";
import type { Chart } from "../api/dashboards";
import { ChartFrame } from "./ChartFrame";
import { COLUMNS, placed } from "./document";
import { compactor, GAP, layoutOf, narrow, placesOf, ROW_HEIGHT } from "./grid";
import { change } from "./store";

const NARROW = 720;

/** How wide the grid may be, and how high what is below its upper edge is. */
function useRoom() {
  const place = useRef<HTMLDivElement>(null);
  const [room, setRoom] = useState({ width: 0, height: 0 });
  useEffect(() => {
    const element = place.current;
    if (!element) return;
    const measure = () => {
      const height = window.innerHeight - element.getBoundingClientRect().top - GAP * 2;
      setRoom((held) =>
        held.width === element.clientWidth && held.height === height
          ? held
          : { width: element.clientWidth, height },
      );
    };
    const sizes = new ResizeObserver(measure);
    sizes.observe(element);
    window.addEventListener("resize", measure);
    return () => {
      sizes.disconnect();
      window.removeEventListener("resize", measure);
    };
  }, []);
  return { place, ...room };
}

const arrange = (layout: Layout): void => change((document) => placed(document, placesOf(layout)));

interface Props {
  charts: readonly Chart[];
  editing: boolean;
  kiosk: boolean;
  setUp: (chart: Chart) => void;
}

/** The charts on their grid: dragged by the head, resized at the corner; by keyboard see `ChartFrame`. */
export function Grid({ charts, editing, kiosk, setUp }: Props) {
  const { place, width, height } = useRoom();
  const one = width < NARROW;
  const layout = useMemo(() => (one ? narrow(charts) : layoutOf(charts)), [charts, one]);
  const movable = editing && !one;
  const rows = Math.max(1, ...layout.map((item) => item.y + item.h));
  // On a screen of its own the whole dashboard is seen, if that leaves its charts legible.
  const filling = Math.floor((height - GAP) / rows) - GAP;
  const high = kiosk && !one ? Math.max(ROW_HEIGHT - GAP, filling) : ROW_HEIGHT;
  return (
    <div className={`board-grid ${movable ? "board-arranging" : ""}`} ref={place}>
      {width > 0 && (
        <GridLayout
          width={width}
          layout={layout}
          compactor={compactor}
          gridConfig={{
            cols: one ? 1 : COLUMNS,
            rowHeight: high,
            margin: [GAP, GAP],
            containerPadding: [0, 0],
          }}
          dragConfig={{ enabled: movable, handle: ".chart-head", cancel: "button, a" }}
          resizeConfig={{ enabled: movable, handles: ["se"] }}
          onDragStop={arrange}
          onResizeStop={arrange}
        >
          {charts.map((chart) => (
            <div key={chart.id}>
              <ChartFrame kiosk={kiosk} chart={chart} setUp={() => setUp(chart)} />
            </div>
          ))}
        </GridLayout>
      )}
    </div>
  );
}
