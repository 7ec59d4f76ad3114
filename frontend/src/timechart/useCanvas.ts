import { useEffect, useRef, useState } from "react";
import type { Frame } from "./strip";

/** A canvas that is drawn anew when what it shows, its size or the sharpness of the screen changes. */
export function useCanvas(paint: (pen: CanvasRenderingContext2D, frame: Frame) => void) {
  const place = useRef<HTMLCanvasElement>(null);
  const [size, setSize] = useState({ width: 0, height: 0 });
  useEffect(() => {
    const element = place.current;
    if (!element) return;
    const sizes = new ResizeObserver(() =>
      setSize({ width: element.clientWidth, height: element.clientHeight }),
    );
    sizes.observe(element);
    return () => sizes.disconnect();
  }, []);
  useEffect(() => {
    const element = place.current;
    const pen = element?.getContext("2d");
    if (!element || !pen) return;
    const sharp = window.devicePixelRatio;
    element.width = Math.round(size.width * sharp);
    element.height = Math.round(size.height * sharp);
    pen.scale(sharp, sharp);
    paint(pen, { left: 0, top: 0, ...size });
  }, [paint, size]);
  return place;
}
