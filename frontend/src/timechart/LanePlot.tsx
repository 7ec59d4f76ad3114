import { useEffect, useRef } from "react";
import type { Figure } from "./figure";
import { plotly, type PlotElement } from "./plotly";
import type { Window } from "./window";
import { usePlotly } from "./usePlotly";

// Without a zoom of its own the chart is still: the pointer of the lanes serves all of them at once.
const STILL = { staticPlot: true, responsive: false };
const OWN = { displayModeBar: false, responsive: false, doubleClick: false, showTips: false };

interface Zooming {
  zoom?: (window: Window) => void;
  reset?: () => void;
}

function listen(element: PlotElement, { zoom, reset }: Zooming): void {
  element.on("plotly_relayout", (event) => {
    const [start, end] = [event["xaxis.range[0]"], event["xaxis.range[1]"]];
    if (start !== undefined && end !== undefined)
      zoom?.({ start: Number(start) * 1000, end: Number(end) * 1000 });
  });
  element.on("plotly_doubleclick", () => reset?.());
}

interface Props extends Zooming {
  figure: Figure;
}

/** Plotly's drawing of one lane. It is drawn over, never thrown away, so nothing flickers. */
export function LanePlot({ figure, zoom, reset }: Props) {
  const place = useRef<HTMLDivElement>(null);
  const library = usePlotly(place);
  useEffect(() => {
    const element = place.current;
    let current = true;
    void plotly().then((loaded) => {
      if (!current || !element) return;
      const first = library.current === null && zoom !== undefined;
      library.current = loaded;
      void loaded
        .react(element, figure.data, figure.layout, zoom ? OWN : STILL)
        .then((drawn) => first && listen(drawn, { zoom, reset }));
    });
    return () => {
      current = false;
    };
  }, [figure, zoom, reset, library]);
  return <div ref={place} className="lane-plot" />;
}
