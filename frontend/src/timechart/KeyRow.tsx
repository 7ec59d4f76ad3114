/** A row of a key: its timeline in the window, and what it says at the cursor or how long it was in a state. */
import { useMemo, type CSSProperties } from "react";
import type { Scalar } from "../core/api/types";
import { formatLength } from "../core/ui/format";
import { describeLeftOut, leftOutAt } from "./thinned";
import { DARK, LIGHT, swatchOf, type Register } from "./colours";
import { paintHeat, type HeatScale } from "./heat";
import { measureState, type KeyRow, type RowView } from "./keyRows";
import { readingAt, buildSpans } from "./spans";
import { useRowCursor } from "./rowCursor";
import { paint, type Frame } from "./strip";
import { useCanvas } from "./useCanvas";
import { useDark } from "../core/ui/theme";
import { spellValue } from "./display";

const SECOND = 1_000_000;

/** How rows are drawn, the same for all. */
export interface RowStyle {
  kind: "bool" | "text" | "number";
  view: RowView;
  /** Until when it is known, and final. */
  until: number;
  finalUntil: number | null;
  register: Register;
  /** Draws numbers by the strength of a colour instead of as lines. */
  heat?: HeatScale | undefined;
  value: Scalar | null;
  /** Where the lanes of a key are, null: nowhere; without it a press on the name says which is wanted. */
  hrefOf?: (key: string) => string | null;
}

interface RowProps extends RowStyle {
  row: KeyRow;
  style: CSSProperties;
}

type StripProps = Omit<RowProps, "value" | "style" | "hrefOf">;

function useRowStrip({ row, kind, view, until, finalUntil, register, heat }: StripProps) {
  const dark = useDark();
  return useMemo(() => {
    const { window } = view;
    const strip = {
      kind,
      window,
      leftOut: row.leftOut,
      spans: buildSpans(row.pieces, window, until, finalUntil, row.leftOut),
    };
    const theme = dark ? DARK : LIGHT;
    return (pen: CanvasRenderingContext2D, frame: Frame) =>
      heat ? paintHeat(pen, strip, frame, heat, theme) : paint(pen, strip, frame, theme, register);
  }, [row, kind, view, until, finalUntil, register, heat, dark]);
}

/** The strip of a row alone. */
export function RowStrip(props: StripProps) {
  const place = useCanvas(useRowStrip(props));
  return <canvas ref={place} aria-hidden="true" />;
}

export function Swatch({ value, register }: { value: Scalar | null; register: Register }) {
  const dark = useDark();
  const background = swatchOf(value, dark ? DARK : LIGHT, register);
  return <span className="swatch" style={{ background }} aria-hidden="true" />;
}

/** What a row says at the time cursor. */
function AtCursor({ row, at, register }: Pick<RowProps, "row" | "register"> & { at: number }) {
  const busy = leftOutAt(row.leftOut, at);
  const scalar = busy ? null : (readingAt(row.pieces, at)?.value ?? null);
  if (typeof scalar === "number") return <span>{spellValue(scalar, register.display)}</span>;
  return (
    <>
      {!busy && <Swatch value={scalar} register={register} />}
      <span>{busy ? describeLeftOut(busy) : scalar === null ? "unknown" : register.label(scalar)}</span>
    </>
  );
}

/** What stands beside a row: for how long it was in the state, and how often; of a number what it is now. */
function Said({ row, value, view, until, register }: Omit<RowProps, "kind" | "finalUntil" | "style">) {
  const cursor = useRowCursor();
  if (cursor !== null && cursor <= until) return <AtCursor row={row} at={cursor} register={register} />;
  if (value === null) {
    const now = readingAt(row.pieces, Math.min(until, view.window.end))?.value ?? null;
    return <span>{typeof now === "number" ? spellValue(now, register.display) : "unknown"}</span>;
  }
  const { seconds, stretches } = measureState(row, value, view.window, until);
  return (
    <>
      <span>{stretches === 0 ? "" : formatLength(seconds * SECOND)}</span>
      <span className="faint">{stretches === 0 ? "" : `${stretches}×`}</span>
    </>
  );
}

function Name({ name, hrefOf }: { name: string; hrefOf: RowStyle["hrefOf"] }) {
  const title = `Show the lanes of ${name}`;
  if (!hrefOf)
    return (
      <button type="button" className="quiet key-row-name" title={title} data-key={name}>
        {name}
      </button>
    );
  const href = hrefOf(name);
  if (href === null)
    return (
      <span className="key-row-name" title={name}>
        {name}
      </span>
    );
  return (
    <a className="key-row-name" href={href} title={title}>
      {name}
    </a>
  );
}

export function Row(props: RowProps) {
  const { row, value, view, until, register, hrefOf, style } = props;
  return (
    <div
      className="key-row"
      style={style}
      data-lane={row.key}
      data-testid={`key-row-${row.key}`}
      role="listitem"
    >
      <div className="lane-label">
        <Name name={row.key} hrefOf={hrefOf} />
        <span className="key-row-said">
          <Said {...{ row, value, view, until, register }} />
        </span>
      </div>
      <div className="lane-chart">
        <RowStrip {...props} />
      </div>
    </div>
  );
}
