import { useEffect, useRef } from "react";
import type { Figure } from "../timechart/figure";
import { plotly, type Plotly } from "../timechart/plotly";
import { sheets } from "./renderedWindow";
import type { Window } from "../timechart/window";
import { drawQueue } from "./drawQueue";
import { usePlotly } from "../timechart/usePlotly";

// The pointer of the lanes serves all of them at once, so no chart has one of its own.
const STILL = { staticPlot: true, responsive: false };

interface Props {
  /** Made when its turn comes. */
  make: () => Figure;
  window: Window;
  /** It is drawn. */
  done: (figure: Figure) => void;
}

function forget(element: HTMLElement): void {
  drawQueue.forget(element);
  sheets.forget(element);
}

/** Plotly's drawing of one lane on a sheet: drawn when it is its turn, moved along while the window moves. */
export function LaneDrawing({ make, window, done }: Props) {
  const place = useRef<HTMLDivElement>(null);
  const library = usePlotly(place, forget);
  useEffect(() => {
    const element = place.current;
    let current = true;
    const draw = (loaded: Plotly): void => {
      if (!current || !element) return;
      library.current = loaded;
      const figure = make();
      void loaded.react(element, figure.data, figure.layout, STILL).then(() => {
        if (!element.isConnected) return;
        sheets.drawn(element, window);
        done(figure);
      });
    };
    void plotly().then(
      (loaded) => element && current && drawQueue.ask(element, () => draw(loaded), sheets.isFar(element)),
    );
    return () => {
      current = false;
    };
  }, [make, window, done, library]);
  return <div ref={place} className="lane-sheet lane-plot" />;
}
