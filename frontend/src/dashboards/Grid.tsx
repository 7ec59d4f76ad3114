import { useEffect, useMemo, useRef, useState } from "react";
import { GridLayout, type Layout } from "react-grid-layout";
import { useShallow } from "zustand/react/shallow";
import type { Chart } from "../core/api/dashboards";
import { ChartFrame } from "./ChartFrame";
import { COLUMNS, placeCharts } from "./document";
import { compactor, GAP, layoutOf, stackCharts, placesOf, ROW_HEIGHT } from "./grid";
import { useScreen } from "./screens";
import { repeatCharts } from "./repeat";
import { change, selectionOf, sourceId, useBoard } from "./store";

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
    // What stands above it may become higher, which makes it no narrower.
    for (const one of element.parentElement?.children ?? [element]) sizes.observe(one);
    window.addEventListener("resize", measure);
    return () => {
      sizes.disconnect();
      window.removeEventListener("resize", measure);
    };
  }, []);
  return { place, ...room };
}

const arrange = (layout: Layout): void => change((document) => placeCharts(document, placesOf(layout)));

interface Props {
  charts: readonly Chart[];
  editing: boolean;
  kiosk: boolean;
  setUp: (chart: Chart) => void;
}

/** The charts as they are looked at: those that are repeated with their copies. */
function useRepeated(charts: readonly Chart[], editing: boolean): readonly Chart[] {
  const keys = useBoard(useShallow((state) => selectionOf(state, false)));
  const groups = useBoard(useShallow((state) => selectionOf(state, true)));
  const sources = useBoard((state) => state.sources);
  return useMemo(
    () =>
      editing ? charts : repeatCharts(charts, (chart) => (sources[sourceId(chart)]?.grouped ? groups : keys)),
    [charts, editing, keys, groups, sources],
  );
}

/** The charts on their grid: dragged by the head, resized at the corner; by keyboard see `ChartFrame`. */
export function Grid({ charts: saved, editing, kiosk, setUp }: Props) {
  const charts = useRepeated(saved, editing);
  const { place, width, height } = useRoom();
  const one = width < NARROW;
  const layout = useMemo(() => (one ? stackCharts(charts) : layoutOf(charts)), [charts, one]);
  const movable = editing && !one;
  // On a screen of its own the whole dashboard is seen, on several in turn where one would leave its charts illegible.
  const screen = useScreen(layout, kiosk && !one && height > 0 ? height : Infinity);
  const layoutItems = kiosk && !one ? screen.shown : layout;
  const drawn = new Set(layoutItems.map((item) => item.i));
  return (
    <div className={`board-grid ${movable ? "board-arranging" : ""}`} ref={place}>
      {screen.many > 1 && (
        <p className="kiosk-turn" data-testid="screen-turn">
          {screen.turn + 1} of {screen.many}
        </p>
      )}
      {width > 0 && (
        <GridLayout
          width={width}
          layout={layoutItems}
          compactor={compactor}
          gridConfig={{
            cols: one ? 1 : COLUMNS,
            rowHeight: kiosk && !one ? screen.high : ROW_HEIGHT,
            margin: [GAP, GAP],
            containerPadding: [0, 0],
          }}
          dragConfig={{ enabled: movable, handle: ".chart-head", cancel: "button, a" }}
          resizeConfig={{ enabled: movable, handles: ["se"] }}
          onDragStop={arrange}
          onResizeStop={arrange}
        >
          {charts
            .filter((chart) => drawn.has(chart.id))
            .map((chart) => (
              <div key={chart.id}>
                <ChartFrame kiosk={kiosk} chart={chart} setUp={() => setUp(chart)} />
              </div>
            ))}
        </GridLayout>
      )}
    </div>
  );
}
