/** Rows of keys, one below the other: only those in sight are drawn, so that there may be a thousand. */
import { useEffect, useState, type RefObject, type UIEvent } from "react";
import type { Scalar } from "../core/api/types";
import type { Register } from "./colours";
import { Row, Swatch, type RowStyle } from "./KeyRow";
import { selectRowsInView, ROW_HEIGHT, type KeyRow } from "./keyRows";
import { isIn, leftOf } from "./timeScale";
import { useRowCursor } from "./rowCursor";
import type { Window } from "./window";

interface Sight {
  readonly top: number;
  readonly height: number;
}

const sightOf = ({ scrollTop: top, clientHeight: height }: HTMLElement): Sight => ({ top, height });

/** What of a scrolled place is in sight; `look` when it is scrolled. */
export function useSight(place: RefObject<HTMLElement | null>) {
  const [sight, see] = useState<Sight>({ top: 0, height: 600 });
  useEffect(() => {
    const element = place.current;
    if (!element) return;
    const sizes = new ResizeObserver(() => see(sightOf(element)));
    sizes.observe(element);
    return () => sizes.disconnect();
  }, [place]);
  const look = ({ currentTarget }: UIEvent<HTMLElement>) => see(sightOf(currentTarget));
  return { sight, look };
}

function Cursor({ window }: { window: Window }) {
  const cursor = useRowCursor();
  if (cursor === null || !isIn(cursor, window)) return null;
  return (
    <div className="key-rows-cursor" aria-hidden="true">
      <div className="lane-label" />
      <div className="lane-chart">
        <div className="cursor" style={{ left: leftOf(cursor, window) }} />
      </div>
    </div>
  );
}

interface Props extends RowStyle {
  rows: readonly KeyRow[];
  sight: Sight;
}

export function KeyRowList({ rows, sight, ...look }: Props) {
  const { first, last } = selectRowsInView(rows.length, sight.top, sight.height);
  return (
    <div className="key-row-list" role="list" style={{ height: rows.length * ROW_HEIGHT }}>
      {rows.slice(first, last).map((row, i) => (
        <Row
          key={row.key}
          row={row}
          {...look}
          style={{ top: (first + i) * ROW_HEIGHT, height: ROW_HEIGHT }}
        />
      ))}
      <Cursor window={look.view.window} />
    </div>
  );
}

const MOST_NAMED = 8;

/** Which colour stands for which value. */
export function RowLegend({ values, register }: { values: readonly Scalar[]; register: Register }) {
  const states = values.filter((value) => typeof value !== "number");
  const more = states.length - MOST_NAMED;
  return (
    <span className="key-rows-legend" data-testid="all-keys-legend">
      {states.slice(0, MOST_NAMED).map((state) => (
        <span key={String(state)}>
          <Swatch value={state} register={register} /> {register.label(state)}
        </span>
      ))}
      {more > 0 && <span className="faint">{more} more</span>}
    </span>
  );
}
