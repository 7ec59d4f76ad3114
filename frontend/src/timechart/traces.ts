/** Plotly's traces of states: spans as bars or, where there are many, as few paths. Pure; x is milliseconds. */
import type { Part } from "./thinned";
import { fillOf, inkOn, rgba, type Register, type Theme } from "./colours";
import type { Span } from "./spans";

/** More spans than these are drawn as few paths: quick, however many there are. */
const MANY = 120;
/** So much of the window a span must take for its word to be written, where there are many. */
const WORD = 0.04;

const ms = (us: number): number => us / 1000;

/** Unknown is hatched on nothing; provisional is hatched lighter on its own colour. */
function pattern(spans: readonly Span[], theme: Theme) {
  const hatch = ({ value, strength }: Span): string =>
    value === null ? rgba(theme.unknown, 0.9 * strength) : rgba(theme.hatch, theme.hatchStrength * strength);
  return {
    shape: spans.map((span) => (span.value === null ? "x" : span.provisional ? "/" : "")),
    fgcolor: spans.map(hatch),
    fillmode: "overlay",
    size: spans.map((span) => (span.value === null ? 6 : 7)),
    solidity: spans.map((span) => (span.value === null ? 0.3 : 0.2)),
  };
}

/** The words in a span; parts of one piece that follow its first do not say them again, unless that is out of sight. */
function words(span: Span, i: number, spans: readonly Span[], from: number, register: Register): string {
  const before = spans[i - 1];
  const follows = before !== undefined && before.from === span.from && before.end === span.start;
  const goesOn = follows && span.start !== from;
  return span.end <= from || span.value === null || span.strength < 1 || goesOn
    ? ""
    : register.label(span.value);
}

/**
 * Rectangles as one outline, which goes back under them as it came: however many there are, Plotly makes one element
 * of it, where each of its own would cost as much as a chart.
 */
export function buildOutline(parts: readonly Part[]): { x: number[]; y: number[] } {
  const x = parts.flatMap(({ start, end }) => [ms(start), ms(start), ms(end), ms(end)]);
  const y = parts.flatMap(({ low, high }) => [low, high, high, low]);
  for (const { start, end, low } of parts.toReversed()) {
    x.push(ms(end), ms(start));
    y.push(low, low);
  }
  return { x, y };
}

function area(parts: readonly Part[], colour: string, yaxis: string, more: object = {}): object {
  const look = { mode: "lines", line: { width: 0, simplify: false }, hoverinfo: "skip" };
  return {
    type: "scatter",
    fill: "toself",
    fillcolor: colour,
    ...buildOutline(parts),
    yaxis,
    ...look,
    ...more,
  };
}

function grouped<Item>(items: readonly Item[], of: (item: Item) => string): Map<string, Item[]> {
  const found = new Map<string, Item[]>();
  for (const item of items) {
    const some = found.get(of(item));
    if (some) some.push(item);
    else found.set(of(item), [item]);
  }
  return found;
}

/** One path for each look of some spans. */
function paths(spans: readonly Span[], theme: Theme, register: Register, yaxis: string): object[] {
  const look = (span: Span): string =>
    JSON.stringify([
      fillOf(span.value, theme, register),
      span.value === null,
      span.provisional,
      span.strength,
    ]);
  return [...grouped(spans, look).values()].map((some) => {
    const [one] = some as [Span];
    const parts = some.map(({ start, end, value }): Part => ({ start, end, low: 0, high: 1, value }));
    const { shape, fgcolor, size, solidity } = pattern([one], theme);
    const hatch = { shape: shape[0], fgcolor: fgcolor[0], size: size[0], solidity: solidity[0] };
    const colour = rgba(fillOf(one.value, theme, register), one.value === null ? 0 : one.strength);
    return area(parts, colour, yaxis, shape[0] === "" ? {} : { fillpattern: { ...hatch, bgcolor: colour } });
  });
}

/** Many spans: few paths, and words where there is room for them. */
function areas(spans: readonly Span[], theme: Theme, register: Register, yaxis: string, from: number) {
  const length = (spans.at(-1)?.end ?? 0) - from;
  const said = spans.map((span, i) =>
    span.end - span.start > length * WORD ? words(span, i, spans, from, register) : "",
  );
  const wide = spans.flatMap((span, i) => (said[i] === "" ? [] : [{ ...span, word: said[i] }]));
  const labels = {
    ...bars(wide, theme, register, yaxis, -Infinity),
    text: wide.map((one) => one.word),
    marker: { color: "rgba(0,0,0,0)" },
  };
  return [...paths(spans, theme, register, yaxis), ...(wide.length > 0 ? [labels] : [])];
}

/** Spans of states: each a bar with its word, or where there are many, few paths. */
export function buildStateTraces(
  spans: readonly Span[],
  theme: Theme,
  register: Register,
  yaxis: string,
  from: number,
) {
  if (spans.length > MANY) return areas(spans, theme, register, yaxis, from);
  // Plotly has no colour of its own for the hatch of each bar, and the hatch is all there is of unknown.
  const unknown = spans.filter(({ value }) => value === null);
  const known = spans.filter(({ value }) => value !== null);
  const bar = known.length > 0 ? [bars(known, theme, register, yaxis, from)] : [];
  return [...paths(unknown, theme, register, yaxis), ...bar];
}

/** What is seen of stretches of which change points are left out. */
export function buildLeftOutTraces(
  parts: readonly Part[],
  theme: Theme,
  register: Register | null,
  yaxis: string,
): object[] {
  const colour = ({ value }: Part): string => {
    if (value === undefined) return theme.faint;
    return register === null ? rgba(theme.line, 0.45) : fillOf(value, theme, register);
  };
  return [...grouped(parts, colour)].map(([of, some]) => area(some, of, yaxis));
}

function bars(
  spans: readonly Span[],
  theme: Theme,
  register: Register,
  yaxis: string,
  from: number,
): Record<string, unknown> {
  const colours = spans.map((span) => fillOf(span.value, theme, register));
  return {
    type: "bar",
    orientation: "h",
    yaxis,
    y: spans.map(() => 0.5),
    width: 1,
    base: spans.map((span) => ms(span.start)),
    x: spans.map((span) => ms(span.end - span.start)),
    text: spans.map((span, i) => words(span, i, spans, from, register)),
    textposition: "inside",
    insidetextanchor: "start",
    insidetextfont: { color: colours.map(inkOn) },
    textangle: 0,
    hoverinfo: "skip",
    marker: {
      color: spans.map((span, i) =>
        rgba(colours[i] ?? theme.unknown, span.value === null ? 0 : span.strength),
      ),
      line: { width: 0 },
      pattern: pattern(spans, theme),
    },
  };
}
