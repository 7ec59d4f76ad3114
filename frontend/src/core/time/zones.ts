/** Time zones by what people call them: Berlin, kolkata, New York, India, CET. Pure. */

export interface NamedZone {
  /** Its IANA name. */
  readonly name: string;
  /** India Standard Time */
  readonly words: string;
}

const REGIONS = [
  "Africa",
  "America",
  "America/Argentina",
  "America/Indiana",
  "Antarctica",
  "Asia",
  "Atlantic",
  "Australia",
  "Europe",
  "Indian",
  "Pacific",
  "US",
];

const formatZone = (name: string, timeZoneName: "long" | "short"): string =>
  new Intl.DateTimeFormat("en", { timeZone: name, timeZoneName })
    .formatToParts()
    .find(({ type }) => type === "timeZoneName")?.value ?? "";

const nameZone = (name: string): NamedZone => ({ name, words: formatZone(name, "long") });

export const listZones = (): NamedZone[] => Intl.supportedValuesOf("timeZone").map(nameZone);

/** Browsers list each zone under one of its names; they know the others, too. */
function otherNames(text: string): NamedZone[] {
  const capital = text
    .trim()
    .replaceAll(/\s+/g, "_")
    .replaceAll(/(^|[_/-])[a-z]/g, (start) => start.toUpperCase());
  return [text.trim(), capital, ...REGIONS.map((region) => `${region}/${capital}`)].flatMap((name) => {
    try {
      return name === "" ? [] : [nameZone(name)];
    } catch {
      return [];
    }
  });
}

const wordsOf = ({ name, words }: NamedZone): string => `${name} ${words}`.replaceAll("_", " ").toLowerCase();

/** The zones in whose names all words of a text occur; without a text all of them. */
export function searchZones(zones: readonly NamedZone[], text: string): NamedZone[] {
  const terms = text.toLowerCase().replaceAll("_", " ").split(/\s+/).filter(Boolean);
  const listed = zones.filter((zone) => terms.every((term) => wordsOf(zone).includes(term)));
  const more = terms.length === 0 ? [] : otherNames(text);
  return [...new Map([...more, ...listed].map((zone) => [zone.name.toLowerCase(), zone])).values()];
}
