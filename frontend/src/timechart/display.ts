/** How values are shown, as somebody chose for a field or a node: colours, labels, thresholds, units and formats. Pure. */
import type { Scalar } from "../core/api/types";
import type { Wire } from "../core/api/wire";
import { formatLength, formatSize } from "../core/ui/format";

export type Display = Wire<"Display">;
export type Format = NonNullable<Display["format"]>;
export type ColourName = Wire<"Threshold">["colour"];
export type Threshold = Wire<"Threshold">;

export const AS_GUESSED: Display = {};

/** The colours in the order in which they are offered; the first five mean something. */
export const COLOURS: Readonly<Record<ColourName, string>> = {
  good: "Green (good)",
  bad: "Red (bad)",
  warning: "Amber (warning)",
  running: "Blue (active)",
  stopped: "Grey (inactive)",
  indigo: "Indigo",
  gold: "Gold",
  violet: "Violet",
  pink: "Pink",
  sky: "Sky",
  brown: "Brown",
  navy: "Navy",
  wine: "Wine",
  teal: "Teal",
  olive: "Olive",
};

export const FORMATS: Readonly<Record<Format, string>> = {
  number: "Number",
  percent: "Percent (0.77 is 77 %)",
  bytes: "Bytes",
  duration: "Duration (from seconds)",
  currency: "Currency",
};

const chosenOf = (value: Scalar | null, { values }: Display) =>
  value !== null && values !== undefined && Object.hasOwn(values, String(value))
    ? values[String(value)]
    : undefined;

export const labelOf = (value: Scalar, display: Display): string =>
  chosenOf(value, display)?.label ?? String(value);

/** The colour of the greatest threshold that a number has reached. */
export function thresholdOf(value: number, { thresholds = [] }: Display): ColourName | null {
  return thresholds.findLast(({ start }) => value >= start)?.colour ?? null;
}

/** The colour that was chosen for a value, or null. */
export function chosenColour(value: Scalar | null, display: Display): ColourName | null {
  const reached = typeof value === "number" ? thresholdOf(value, display) : null;
  return reached ?? chosenOf(value, display)?.colour ?? null;
}

const formats = new Map<string, Intl.NumberFormat>();
const MAX_FORMATS = 100;

/** Making one takes longer than hundreds of numbers. */
function formatOf(options: Intl.NumberFormatOptions): Intl.NumberFormat {
  const key = JSON.stringify(options);
  const numberFormat = formats.get(key) ?? new Intl.NumberFormat("en", options);
  if (formats.size >= MAX_FORMATS) formats.clear();
  formats.set(key, numberFormat);
  return numberFormat;
}

const digits = (decimals: number | undefined, most: number): Intl.NumberFormatOptions => ({
  minimumFractionDigits: decimals ?? 0,
  maximumFractionDigits: decimals ?? most,
});

function formatBytes(value: number, decimals: number | undefined): string {
  if (decimals === undefined) return formatSize(value);
  const [, unit = "bytes"] = formatSize(value).split(" ");
  const power = ["bytes", "kB", "MB", "GB", "TB"].indexOf(unit);
  return `${formatOf(digits(decimals, 0)).format(value / 1000 ** power)} ${unit}`;
}

function formatAs(format: Format, value: number, { decimals, unit = "" }: Display): string {
  if (format === "percent") return `${formatOf(digits(decimals, 1)).format(value * 100)} %`;
  if (format === "bytes") return formatBytes(value, decimals);
  if (format === "duration") return value === 0 ? "0 s" : formatLength(value * 1_000_000);
  if (format === "currency")
    return formatOf({ style: "currency", currency: unit, ...digits(decimals ?? 2, 2) }).format(value);
  return formatOf(digits(decimals, 3)).format(value);
}

const AFTER: ReadonlySet<Format> = new Set(["number"]);

/** A number as it was chosen; where no format and no decimals are, `plain` spells it. */
export function formatNumber(value: number, display: Display, plain: (value: number) => string): string {
  const { decimals, unit = "" } = display;
  const format = display.format ?? (decimals === undefined ? undefined : "number");
  const sign = value < 0 ? "−" : "";
  const text = format === undefined ? plain(value) : `${sign}${formatAs(format, Math.abs(value), display)}`;
  return unit === "" || !AFTER.has(format ?? "number") ? text : `${text} ${unit}`;
}

/** A value as it is shown: its label, or the number in its format. */
export function formatValue(value: Scalar, display: Display, plain: (value: number) => string): string {
  return typeof value === "number" ? formatNumber(value, display, plain) : labelOf(value, display);
}

const formatPlain = (value: number): string =>
  Number(value.toPrecision(6)).toLocaleString("en", { maximumFractionDigits: 3 });

/** The same with six digits where no format was chosen. */
export const spellValue = (value: Scalar, display: Display = AS_GUESSED): string =>
  formatValue(value, display, formatPlain);

/** Without what says nothing, so that a choice that was taken back leaves nothing; null where nothing is left. */
export function pruneDisplay({
  values = {},
  thresholds = [],
  format,
  unit,
  decimals,
}: Display): Display | null {
  const said = Object.entries(values).flatMap(([value, { colour, label }]) => {
    const one = { ...(colour && { colour }), ...(label?.trim() && { label: label.trim() }) };
    return Object.keys(one).length > 0 ? [[value, one] as const] : [];
  });
  const left: Display = {
    ...(said.length > 0 && { values: Object.fromEntries(said) }),
    ...(thresholds.length > 0 && { thresholds }),
    ...(format && { format }),
    ...(unit?.trim() && { unit: unit.trim() }),
    ...(decimals !== undefined && { decimals }),
  };
  return Object.keys(left).length > 0 ? left : null;
}
