import { useState, type KeyboardEvent, type PointerEvent } from "react";

const KEPT = "timelines.lanes-height";
const LEAST = 96;
const STEP = 32;

function bounded(height: number): number {
  return Math.round(Math.min(Math.max(LEAST, height), window.innerHeight * 0.75));
}

export function useHeight(): [number, (height: number) => void] {
  const [height, setHeight] = useState(() => bounded(Number(window.localStorage.getItem(KEPT)) || 320));
  const change = (wanted: number) => {
    setHeight(bounded(wanted));
    window.localStorage.setItem(KEPT, String(bounded(wanted)));
  };
  return [height, change];
}

interface Props {
  height: number;
  setHeight: (height: number) => void;
}

/** The upper edge of the dock: drag it, or move it with the arrow keys. */
export function Resizer({ height, setHeight }: Props) {
  const onMove = (event: PointerEvent<HTMLDivElement>) => {
    if (!event.currentTarget.hasPointerCapture(event.pointerId)) return;
    setHeight((event.currentTarget.parentElement?.getBoundingClientRect().bottom ?? 0) - event.clientY);
  };
  const onKey = (event: KeyboardEvent) => {
    if (event.key === "ArrowUp") setHeight(height + STEP);
    if (event.key === "ArrowDown") setHeight(height - STEP);
  };
  return (
    <div
      className="resizer"
      role="separator"
      aria-orientation="horizontal"
      aria-label="Height of the lanes"
      aria-valuenow={height}
      tabIndex={0}
      onPointerDown={(event) => event.currentTarget.setPointerCapture(event.pointerId)}
      onPointerMove={onMove}
      onKeyDown={onKey}
    />
  );
}
