/** The same colour for the same value everywhere; the hues stay apart for colour-blind eyes (Okabe and Ito, Tol). */
import type { Scalar } from "../api/types";

export interface Theme {
  readonly values: readonly string[];
  readonly yes: string;
  readonly no: string;
  readonly unknown: string;
  readonly line: string;
  readonly faint: string;
  readonly ground: string;
  readonly hatch: string;
  readonly hatchStrength: number;
}

export const LIGHT: Theme = {
  values: [
    "#0072b2",
    "#e69f00",
    "#009e73",
    "#cc79a7",
    "#56b4e9",
    "#d55e00",
    "#332288",
    "#882255",
    "#44aa99",
    "#999933",
  ],
  yes: "#0072b2",
  no: "#c9d1da",
  unknown: "#5f6b78",
  line: "#0a5a8c",
  faint: "#5b6673",
  ground: "#ffffff",
  hatch: "#ffffff",
  hatchStrength: 0.4,
};

export const DARK: Theme = {
  values: [
    "#3b9bdb",
    "#f0b429",
    "#2bb894",
    "#d995bb",
    "#7cc7f2",
    "#e8743b",
    "#a79df0",
    "#b8578c",
    "#6cc9bb",
    "#b8b85a",
  ],
  yes: "#3b9bdb",
  no: "#3d4753",
  unknown: "#b3bdc9",
  line: "#6cb8ee",
  faint: "#9aa5b1",
  ground: "#161b22",
  hatch: "#0d1117",
  hatchStrength: 0.4,
};

const REGISTER = "timelines.colours";

function hash(text: string): number {
  let h = 2166136261;
  for (const char of text) h = Math.imul(h ^ (char.codePointAt(0) ?? 0), 16777619);
  return h >>> 0;
}

/** A value's own place in the palette; two values share one only when all are taken. */
export class Register {
  private readonly places: Map<string, number>;

  constructor(
    private readonly size: number,
    private readonly storage: Pick<Storage, "getItem" | "setItem"> | null,
  ) {
    this.places = new Map(Register.read(storage));
  }

  private static read(storage: Pick<Storage, "getItem"> | null): [string, number][] {
    try {
      const held: unknown = JSON.parse(storage?.getItem(REGISTER) ?? "[]");
      return Array.isArray(held) ? (held as [string, number][]) : [];
    } catch {
      return [];
    }
  }

  place(value: string): number {
    const held = this.places.get(value);
    if (held !== undefined && held < this.size) return held;
    const taken = new Set(this.places.values());
    const wanted = hash(value) % this.size;
    const steps = Array.from({ length: this.size }, (_, i) => (wanted + i) % this.size);
    const place = steps.find((one) => !taken.has(one)) ?? wanted;
    this.places.set(value, place);
    this.storage?.setItem(REGISTER, JSON.stringify([...this.places].slice(-200)));
    return place;
  }
}

export function colourOf(value: Scalar, theme: Theme, register: Register): string {
  if (typeof value === "boolean") return value ? theme.yes : theme.no;
  return theme.values[register.place(String(value))] ?? theme.line;
}

/** The same where unknown may be, too: whoever fills with it tells it apart by more than the colour. */
export function fillOf(value: Scalar | null, theme: Theme, register: Register): string {
  return value === null ? theme.unknown : colourOf(value, theme, register);
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
