/** The same colour for the same value everywhere; the hues stay apart for colour-blind eyes (Okabe and Ito, Tol). */
import type { Kind, Scalar } from "../core/api/types";
import { AS_GUESSED, chosenColour, labelOf, type ColourName, type Display } from "./display";
import { meaningOf, MEANINGS, type Meaning } from "./meanings";
import palette from "./palette.json";

export interface Theme {
  /** Of values without a meaning: none is like red or green. */
  readonly values: readonly string[];
  /** The first is the colour of the meaning; the others are of more values that mean the same. */
  readonly meanings: Readonly<Record<Meaning, readonly string[]>>;
  readonly yes: string;
  readonly no: string;
  readonly unknown: string;
  readonly line: string;
  readonly faint: string;
  readonly ground: string;
  readonly hatch: string;
  readonly hatchStrength: number;
}

export const LIGHT: Theme = palette.light;
export const DARK: Theme = palette.dark;

function hash(text: string): number {
  let h = 2166136261;
  for (const char of text) h = Math.imul(h ^ (char.codePointAt(0) ?? 0), 16777619);
  return h >>> 0;
}

/** Steps that lead through all of a palette of ten. */
const STEPS = [1, 3, 7, 9];

/** The places of a value in the order in which it would have them, told by the value alone. */
function choices(value: string, size: number): number[] {
  const h = hash(value);
  const step = STEPS[(h >>> 16) % STEPS.length] ?? 1;
  return Array.from({ length: size }, (_, i) => (h + i * step) % size);
}

const ordered = (values: Iterable<string>): string[] =>
  [...values].toSorted((a, b) => hash(a) - hash(b) || (a < b ? -1 : 1));

/** Its own place for each value that is the only one, or the first, to want it; the others take what is free. */
function assigned(
  values: readonly string[],
  size: number,
  chosen: readonly (ColourName | null)[],
): Map<string, number> {
  const found = new Map<string, number>();
  const taken = new Set(chosen.flatMap((name) => placeOf(name) ?? []));
  const take = (value: string, places: readonly number[]): void => {
    const place = places.find((one) => !taken.has(one));
    if (place === undefined || found.has(value)) return;
    found.set(value, place);
    taken.add(place);
  };
  for (const value of values) take(value, choices(value, size).slice(0, 1));
  for (const value of values) take(value, choices(value, size));
  return found;
}

const HUES: readonly ColourName[] = [
  "indigo",
  "gold",
  "violet",
  "pink",
  "sky",
  "brown",
  "navy",
  "wine",
  "teal",
  "olive",
];

/** The place of a colour that was chosen among those of values without a meaning. */
function placeOf(name: ColourName | null): number | null {
  const place = name === null ? -1 : HUES.indexOf(name);
  return place < 0 ? null : place;
}

const isMeaning = (name: ColourName): name is Meaning => (MEANINGS as readonly string[]).includes(name);

/** A colour by its name. */
export function colourNamed(name: ColourName, theme: Theme): string {
  const colour = isMeaning(name) ? theme.meanings[name][0] : theme.values[placeOf(name) ?? 0];
  return colour ?? theme.line;
}

/** Of the values that mean the same, which one each is. */
function ranked(values: readonly string[]): Map<string, number> {
  const counts = new Map<Meaning, number>();
  const ranks = new Map<string, number>();
  for (const value of values) {
    const meaning = meaningOf(value);
    if (meaning === null) continue;
    const rank = counts.get(meaning) ?? 0;
    ranks.set(value, rank);
    counts.set(meaning, rank + 1);
  }
  return ranks;
}

/**
 * Which colour each value of a chart has. It is told by the values alone, so everybody sees the same everywhere; only
 * where two of one chart want the same colour, one of them has another one there.
 */
export class Register {
  private readonly places: ReadonlyMap<string, number>;
  private readonly ranks: ReadonlyMap<string, number>;

  constructor(
    private readonly size: number,
    values: Iterable<Scalar | null | undefined> = [],
    readonly display: Display = AS_GUESSED,
  ) {
    const texts = new Set<string>();
    for (const value of values) if (typeof value === "string") texts.add(value);
    const all = ordered(texts);
    const chosen = all.map((value) => chosenColour(value, display));
    const left = all.filter((_, i) => chosen[i] === null);
    this.ranks = ranked(left);
    this.places = assigned(
      left.filter((value) => !this.ranks.has(value)),
      size,
      chosen,
    );
  }

  /** What is written of a value. */
  label(value: Scalar): string {
    return labelOf(value, this.display);
  }

  place(value: string): number {
    return this.places.get(value) ?? choices(value, this.size)[0] ?? 0;
  }

  /** Of a value that means something: which one of those that mean the same. */
  rank(value: string): number {
    return this.ranks.get(value) ?? 0;
  }
}

function colourOfText(value: string, theme: Theme, register: Register): string | undefined {
  const meaning = meaningOf(value);
  if (meaning === null) return theme.values[register.place(value)];
  const shades = theme.meanings[meaning];
  return shades[register.rank(value) % shades.length];
}

export function colourOf(value: Scalar, theme: Theme, register: Register): string {
  const chosen = chosenColour(value, register.display);
  if (chosen !== null) return colourNamed(chosen, theme);
  if (typeof value === "boolean") return value ? theme.yes : theme.no;
  return colourOfText(String(value), theme, register) ?? theme.line;
}

/** The same where unknown may be, too: whoever fills with it tells it apart by more than the colour. */
export function fillOf(value: Scalar | null, theme: Theme, register: Register): string {
  return value === null ? theme.unknown : colourOf(value, theme, register);
}

/** Whether a mark of its colour stands beside a value: states have one, numbers where thresholds say which. */
export function hasSwatch(kind: Kind | null, value: Scalar | null, display: Display): boolean {
  const isNumber = kind === "number" || kind === "ratio";
  return !isNumber || chosenColour(value, display) !== null;
}

/** The same as a small mark beside a word: unknown is hatched there, too. */
export function swatchOf(value: Scalar | null, theme: Theme, register: Register): string {
  if (value !== null) return colourOf(value, theme, register);
  return `repeating-linear-gradient(45deg, ${theme.unknown} 0 1.5px, transparent 1.5px 3px)`;
}

function channel(hex: string, i: number): number {
  return parseInt(hex.slice(i, i + 2), 16);
}

export function rgba(hex: string, strength: number): string {
  return `rgba(${channel(hex, 1)},${channel(hex, 3)},${channel(hex, 5)},${strength})`;
}

function luminance(hex: string): number {
  const [r = 0, g = 0, b = 0] = [1, 3, 5].map((i) => {
    const share = channel(hex, i) / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

export function contrast(a: string, b: string): number {
  const [x, y] = [luminance(a) + 0.05, luminance(b) + 0.05];
  return Math.max(x, y) / Math.min(x, y);
}

/** Black or white, whichever is read better on the colour. */
export function inkOn(colour: string): string {
  return contrast(colour, "#000000") >= contrast(colour, "#ffffff") ? "#000000" : "#ffffff";
}
