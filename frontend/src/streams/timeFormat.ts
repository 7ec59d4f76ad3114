/** Times as text of a format of strptime, for examples; the server reads and checks formats. */

const SHORTHANDS: readonly [string, string][] = [
  ["%F", "%Y-%m-%d"],
  ["%T", "%H:%M:%S"],
  ["%R", "%H:%M"],
  ["%D", "%m/%d/%y"],
  ["%e", "%d"],
  ["%h", "%b"],
];

/** The local time of a zone, as if it were UTC. */
function shiftToZone(now: Date, zone: string): Date {
  const options = { timeZone: zone, hourCycle: "h23" } as const;
  const clock = new Intl.DateTimeFormat("sv", { ...options, dateStyle: "short", timeStyle: "medium" });
  return new Date(`${clock.format(now).replace(" ", "T")}Z`);
}

const pad = (value: number, width = 2): string => String(value).padStart(width, "0");

function writeDirective(code: string, local: Date, millis: number): string {
  const name = (part: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat("en", { ...part, timeZone: "UTC" }).format(local);
  const hour = local.getUTCHours();
  const firstDay = Date.UTC(local.getUTCFullYear(), 0, 1);
  const parts: Readonly<Record<string, () => string>> = {
    Y: () => pad(local.getUTCFullYear(), 4),
    y: () => pad(local.getUTCFullYear() % 100),
    m: () => pad(local.getUTCMonth() + 1),
    b: () => name({ month: "short" }),
    B: () => name({ month: "long" }),
    d: () => pad(local.getUTCDate()),
    j: () => pad(Math.floor((local.getTime() - firstDay) / 86_400_000) + 1, 3),
    H: () => pad(hour),
    I: () => pad(hour % 12 || 12),
    p: () => (hour < 12 ? "AM" : "PM"),
    M: () => pad(local.getUTCMinutes()),
    S: () => pad(local.getUTCSeconds()),
    f: () => pad(millis, 3),
    z: () => "+0000",
    a: () => name({ weekday: "short" }),
    A: () => name({ weekday: "long" }),
    "%": () => "%",
  };
  return parts[code]?.() ?? "";
}

export function formatTime(now: Date, format: string, zone: string): string {
  const spelled = SHORTHANDS.reduce((text, [short, long]) => text.replaceAll(short, long), format);
  const local = shiftToZone(now, spelled.includes("%z") ? "UTC" : zone);
  return spelled.replace(/%(.)/g, (_, code: string) => writeDirective(code, local, now.getMilliseconds()));
}
