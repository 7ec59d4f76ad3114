/** Which colour stands for which value of the lanes; a press changes it. */
import { useDark } from "../core/ui/theme";
import type { Scalar } from "../core/api/types";
import { colourNamed, DARK, LIGHT, swatchOf, type Theme } from "../timechart/colours";
import type { Display } from "../timechart/display";
import { askDisplay, useDisplays, type DisplayOption } from "../timechart/displays";
import type { Lane } from "../timechart/lane";
import { registerOf } from "../timechart/colourRegister";
import { spellValue } from "../timechart/display";

const MAX_NAMED = 12;

/** The values of a lane, each once, in the order in which they come. */
export function collectValues({ pieces, leftOut }: Pick<Lane, "pieces" | "leftOut">): Scalar[] {
  const all = new Set<Scalar>();
  for (const { value } of pieces) if (value !== null) all.add(value);
  for (const { shares = [] } of leftOut) for (const [value] of shares) if (value !== null) all.add(value);
  return [...all];
}

interface Entry {
  words: string;
  colour: string;
}

function entriesOf(lane: Lane, display: Display, theme: Theme): Entry[] {
  if (lane.kind === "number" || lane.kind === "ratio")
    return (display.thresholds ?? []).map(({ start, colour }) => ({
      words: `from ${spellValue(start, display)}`,
      colour: colourNamed(colour, theme),
    }));
  const register = registerOf(lane.pieces, lane.leftOut, display);
  return collectValues(lane).map((value) => ({
    words: register.label(value),
    colour: swatchOf(value, theme, register),
  }));
}

function OfLane({ name, lane, shown }: { name: string; lane: Lane; shown: DisplayOption | undefined }) {
  const theme = useDark() ? DARK : LIGHT;
  const { kind } = lane;
  const mayChoose = shown !== undefined && shown.targets.length > 0;
  const entries = entriesOf(lane, shown?.display ?? {}, theme);
  if (kind === null || (entries.length === 0 && !mayChoose)) return null;
  const ask = () => askDisplay({ name, kind, values: collectValues(lane) });
  const more = entries.length - MAX_NAMED;
  return (
    <li data-testid={`legend-${name}`}>
      <span className="faint">{name}</span>
      {entries.slice(0, MAX_NAMED).map(({ words, colour }) => (
        <button
          key={words}
          type="button"
          className="quiet legend-value"
          disabled={!mayChoose}
          title={mayChoose ? `Change the colour of ${words}` : undefined}
          onClick={ask}
        >
          <span className="swatch" style={{ background: colour }} aria-hidden="true" />
          {words}
        </button>
      ))}
      {more > 0 && <span className="faint">{more} more</span>}
      {entries.length === 0 && (
        <button type="button" className="quiet" onClick={ask}>
          Format and thresholds…
        </button>
      )}
    </li>
  );
}

interface Props {
  names: readonly string[];
  lanes: Readonly<Record<string, Lane>>;
}

export function ValueLegend({ names, lanes }: Props) {
  const shown = useDisplays((state) => state.shown);
  return (
    <ul className="value-legend" aria-label="Colours of the lanes" data-testid="value-legend">
      {names.map((name) => {
        const lane = lanes[name];
        return (
          lane && lane.kind !== null && <OfLane key={name} name={name} lane={lane} shown={shown[name]} />
        );
      })}
    </ul>
  );
}
