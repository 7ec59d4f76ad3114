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
}

export const LIGHT: Theme = {
  values: [
    "#0072b2",
    "#e69f00",
    "#009e73",
    "#cc79a7",
    "#56b4e9",
    "#d55e00",
    "#b8a800",
    "#882255",
    "#44aa99",
    "#999933",
  ],
  yes: "#0072b2",
  no: "#c9d1da",
  unknown: "#8a94a0",
  line: "#0a5a8c",
  faint: "#5b6673",
  ground: "#ffffff",
  hatch: "rgba(255,255,255,0.55)",
};

export const DARK: Theme = {
  values: [
    "#3b9bdb",
    "#f0b429",
    "#2bb894",
    "#d995bb",
    "#7cc7f2",
    "#e8743b",
    "#d9cc3c",
    "#b8578c",
    "#6cc9bb",
    "#b8b85a",
  ],
  yes: "#3b9bdb",
  no: "#3d4753",
  unknown: "#7d8793",
  line: "#6cb8ee",
  faint: "#9aa5b1",
  ground: "#161b22",
  hatch: "rgba(13,17,23,0.5)",
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

export function colourOf(value: Scalar | null, theme: Theme, register: Register): string {
  if (value === null) return theme.unknown;
  if (typeof value === "boolean") return value ? theme.yes : theme.no;
  return theme.values[register.place(String(value))] ?? theme.line;
}
