import type { ReactNode } from "react";
import { useDark } from "../core/ui/theme";
import { DARK, LIGHT, rgba, type Theme } from "../timechart/colours";
import { MEANINGS, type Meaning } from "../timechart/meanings";
import type { Lane } from "../timechart/lane";
import { ValueLegend } from "./ValueLegend";

const MEANS: Readonly<Record<Meaning, string>> = {
  good: "good, such as ok",
  bad: "bad, such as failed",
  warning: "warning, such as degraded",
  running: "running, or true",
  stopped: "stopped, or false",
};

const WIDTH = 32;
const HEIGHT = 16;

function lines(step: number, slant: 1 | -1): string {
  const from = Array.from({ length: Math.ceil((WIDTH + HEIGHT) / step) + 1 }, (_, i) => i * step - HEIGHT);
  const [top, bottom] = slant === 1 ? [HEIGHT, 0] : [0, HEIGHT];
  return from.map((x) => `M${x} ${HEIGHT - bottom}L${x + HEIGHT} ${HEIGHT - top}`).join("");
}

interface Mark {
  title: string;
  hint: string;
  picture: ReactNode;
}

function stateMarks(theme: Theme, colour: string, box: ReactNode): Mark[] {
  return [
    {
      title: "provisional",
      hint: "A late event may still change it",
      picture: (
        <>
          {box}
          <path d={lines(7, 1)} stroke={rgba(theme.hatch, 0.6)} strokeWidth={1.5} />
        </>
      ),
    },
    {
      title: "provisional number",
      hint: "A late event may still change it",
      picture: (
        <path d={`M0 ${HEIGHT / 2}H${WIDTH}`} stroke={theme.line} strokeWidth={2} strokeDasharray="3,2" />
      ),
    },
    {
      title: "unknown",
      hint: "No event says what it is",
      picture: <path d={lines(6, 1) + lines(6, -1)} stroke={theme.unknown} />,
    },
    {
      title: "final",
      hint: "To the left of the dashed line nothing changes any more",
      picture: <path d={`M${WIDTH / 2} 0V${HEIGHT}`} stroke={theme.faint} strokeDasharray="4,3" />,
    },
    {
      title: "goes on",
      hint: "The newest value fades towards now: the next event may end it",
      picture: [1, 0.75, 0.5, 0.25].map((strength, i) => (
        <rect key={strength} x={i * 8} width={8} height={HEIGHT} fill={rgba(colour, strength)} />
      )),
    },
  ];
}

function changeMarks(theme: Theme, box: ReactNode): Mark[] {
  return [
    {
      title: "corrected",
      hint: "A late event changed this stretch while the page was open",
      picture: (
        <>
          {box}
          <path className="legend-mark" d={`M8 ${HEIGHT - 1}H${WIDTH - 4}`} strokeWidth={2} />
        </>
      ),
    },
    {
      title: "differs",
      hint: "As known at an earlier moment it was another value than it is now",
      picture: (
        <>
          {box}
          <rect
            className="legend-mark"
            x={7}
            y={1}
            width={18}
            height={14}
            strokeWidth={2}
            strokeDasharray="3,2"
          />
        </>
      ),
    },
    {
      title: "many changes",
      hint: "Too many for the width: each value is as high as its share of the time",
      picture: (
        <>
          {box}
          <rect width={WIDTH} height={6} fill={theme.meanings.good[0]} />
        </>
      ),
    },
  ];
}

function marksOf(theme: Theme): Mark[] {
  const colour = theme.meanings.running[0] ?? theme.line;
  const box = <rect width={WIDTH} height={HEIGHT} fill={colour} />;
  return [...stateMarks(theme, colour, box), ...changeMarks(theme, box)];
}

/** What the marks and the colours of lanes mean. */
export function LegendBar({
  names,
  lanes,
}: {
  names: readonly string[];
  lanes: Readonly<Record<string, Lane>>;
}) {
  const theme = useDark() ? DARK : LIGHT;
  return (
    <div className="legend-bar" role="region" aria-label="Legend" tabIndex={0} data-testid="legend">
      <ValueLegend names={names} lanes={lanes} />
      <dl aria-label="Marks">
        {marksOf(theme).map(({ title, hint, picture }) => (
          <div key={title}>
            <svg width={WIDTH} height={HEIGHT} aria-hidden="true">
              {picture}
            </svg>
            <dt>{title}</dt>
            <dd>{hint}</dd>
          </div>
        ))}
      </dl>
      <ul aria-label="Colours of values">
        {MEANINGS.map((meaning) => (
          <li key={meaning}>
            <span className="legend-swatch" style={{ background: theme.meanings[meaning][0] }} />
            {MEANS[meaning]}
          </li>
        ))}
        <li className="faint">Each other value has its own colour.</li>
      </ul>
    </div>
  );
}
