/** A chart over time as a picture: its title, the time range, what is drawn, and its legend. */
import { formatMoment } from "../core/time/format";
import { FONT } from "../core/ui/font";
import { plotly } from "../timechart/plotly";
import type { Window } from "../timechart/window";

/** Pixels of the picture for one of the page: legible in a document. */
const SCALE = 2;
const EDGE = 12;
const HEAD = 52;
const ROW = 22;
const SWATCH = 10;

interface Looks {
  readonly ground: string;
  readonly ink: string;
  readonly faint: string;
}

interface Entry {
  readonly words: string;
  readonly colour: string;
}

/** The ground of the chart, or of what it stands on. */
function groundOf(element: Element | null): string {
  if (element === null) return "#fff";
  const colour = getComputedStyle(element).backgroundColor;
  return colour === "transparent" || colour === "rgba(0, 0, 0, 0)" ? groundOf(element.parentElement) : colour;
}

function looksOf(section: HTMLElement): Looks {
  const faint = section.querySelector(".faint") ?? section;
  return {
    ground: groundOf(section),
    ink: getComputedStyle(section).color,
    faint: getComputedStyle(faint).color,
  };
}

function legendOf(section: HTMLElement): Entry[] {
  return [...section.querySelectorAll(".legend li")].map((row) => {
    const swatch = row.querySelector(".swatch");
    const [key, value] = [".legend-key", ".legend-value"].map(
      (part) => row.querySelector(part)?.textContent ?? "",
    );
    return {
      words: `${key ?? ""}  ${value ?? ""}`.trim(),
      colour: swatch ? getComputedStyle(swatch).backgroundColor : "",
    };
  });
}

/** As much of a text as there is room for. */
function cutText(ink: CanvasRenderingContext2D, text: string, room: number): string {
  if (ink.measureText(text).width <= room) return text;
  let end = text.length;
  while (end > 0 && ink.measureText(`${text.slice(0, end)}…`).width > room) end--;
  return `${text.slice(0, end)}…`;
}

function writeText(
  ink: CanvasRenderingContext2D,
  text: string,
  [x, y]: [number, number],
  room: number,
): void {
  ink.fillText(cutText(ink, text, room), x, y);
}

/** What Plotly drew. */
async function drawnImage(ground: HTMLElement, width: number, height: number): Promise<HTMLImageElement> {
  const image = new Image();
  image.src = await (await plotly()).toImage(ground, { format: "png", width, height, scale: SCALE });
  await image.decode();
  return image;
}

function writeTitle(ink: CanvasRenderingContext2D, title: string, room: number): void {
  ink.font = `600 15px ${FONT}`;
  writeText(ink, title, [EDGE, EDGE + 7], room);
}

function writeTimes(ink: CanvasRenderingContext2D, { start, end }: Window, room: number): void {
  ink.font = `12px ${FONT}`;
  writeText(ink, `${formatMoment(start)} to ${formatMoment(end)}`, [EDGE, EDGE + 27], room);
}

function drawLegend(
  ink: CanvasRenderingContext2D,
  legend: readonly Entry[],
  top: number,
  { width, looks }: { width: number; looks: Looks },
): void {
  ink.font = `12px ${FONT}`;
  legend.forEach(({ words, colour }, i) => {
    const y = top + ROW * i + ROW / 2;
    ink.fillStyle = colour;
    ink.fillRect(EDGE, y - SWATCH / 2, SWATCH, SWATCH);
    ink.fillStyle = looks.ink;
    writeText(ink, words, [EDGE + SWATCH + 8, y], width - EDGE * 2 - SWATCH - 8);
  });
}

const blobOf = (canvas: HTMLCanvasElement): Promise<Blob> =>
  new Promise((done, fail) => {
    canvas.toBlob((blob) => {
      if (blob) done(blob);
      else fail(new Error("The browser could not make a picture of the chart."));
    }, "image/png");
  });

/** The picture of a chart; null of one that is not drawn over time. */
export async function pictureOf(section: HTMLElement, title: string, window: Window): Promise<Blob | null> {
  const ground = section.querySelector<HTMLElement>(".time-chart-ground");
  const live = section.querySelector<HTMLCanvasElement>(".time-chart-live");
  if (!ground || !live) return null;
  const [width, height] = [ground.clientWidth, ground.clientHeight];
  const [looks, legend] = [looksOf(section), legendOf(section)];
  const image = await drawnImage(ground, width, height);
  const canvas = document.createElement("canvas");
  canvas.width = width * SCALE;
  canvas.height = (HEAD + height + (legend.length > 0 ? legend.length * ROW + EDGE : 0)) * SCALE;
  const ink = canvas.getContext("2d");
  if (!ink) return null;
  ink.scale(SCALE, SCALE);
  ink.fillStyle = looks.ground;
  ink.fillRect(0, 0, canvas.width, canvas.height);
  ink.textBaseline = "middle";
  ink.fillStyle = looks.ink;
  writeTitle(ink, title, width - EDGE * 2);
  ink.fillStyle = looks.faint;
  writeTimes(ink, window, width - EDGE * 2);
  ink.drawImage(image, 0, HEAD, width, height);
  const left = parseFloat(live.style.left) || 0;
  if (live.width > 0) ink.drawImage(live, left, HEAD, width - left, height);
  drawLegend(ink, legend, HEAD + height, { width, looks });
  return blobOf(canvas);
}
