/** Plotly, fetched when the first lane is drawn; only what is used of it has a type. It draws every text as it is. */
import { escapeTexts } from "./plotlyText";

interface RelayoutEvent {
  "xaxis.range[0]"?: number | string;
  "xaxis.range[1]"?: number | string;
}

export interface PlotElement extends HTMLElement {
  on(event: "plotly_relayout", listen: (event: RelayoutEvent) => void): void;
  on(event: "plotly_doubleclick", listen: () => void): void;
  removeAllListeners(event: string): void;
}

export interface Plotly {
  react(element: HTMLElement, data: object[], layout: object, config: object): Promise<PlotElement>;
  purge(element: HTMLElement): void;
  /** The drawing as a data URL. */
  toImage(element: HTMLElement, options: object): Promise<string>;
  Plots: { resize(element: HTMLElement): void };
}

const AGAIN_MS = 2_000;
let loading: Promise<Plotly> | null = null;

/** Where it cannot be fetched, as the server is away just then, it is fetched again until it comes. */
export function plotly(): Promise<Plotly> {
  loading ??= fetched();
  return loading;
}

/** The same library, which is told nothing that it could take for markup. */
const literally = (library: Plotly): Plotly => ({
  react: (element, data, layout, config) =>
    library.react(element, escapeTexts(data), escapeTexts(layout), config),
  purge: (element) => {
    library.purge(element);
  },
  toImage: (element, options) => library.toImage(element, options),
  Plots: library.Plots,
});

async function fetched(): Promise<Plotly> {
  for (;;) {
    try {
      return literally((await import("plotly.js-basic-dist-min")).default);
    } catch {
      await new Promise((done) => setTimeout(done, AGAIN_MS));
    }
  }
}
