/** A person's colour, the same on every page: the hue comes from the name, the rest from the style sheet. */
export function hueOf(name: string): number {
  const sum = [...name].reduce((held, one) => (held * 31 + (one.codePointAt(0) ?? 0)) % 360_007, 7);
  return (sum * 47) % 360;
}

export function initials(name: string): string {
  const parts = name.split(/[\s._-]+/).filter((part) => part !== "");
  const letters = parts.length > 1 ? `${parts[0]?.[0] ?? ""}${parts[1]?.[0] ?? ""}` : name.slice(0, 2);
  return letters.toUpperCase();
}
