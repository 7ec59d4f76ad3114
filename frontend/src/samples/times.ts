/** Instants as they are typed: 12:03:41.25 on the day of the sample, or with the day before it. UTC. */

const DAY = 86_400_000_000;
const FORM = /^(?:(\d{4}-\d\d-\d\d)[T ])?(\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,6}))?)?Z?$/;

const dayOf = (us: number): number => Math.floor(us / DAY) * DAY;

export function spellTime(us: number, near: number): string {
  const day = dayOf(us);
  const rest = us - day;
  const part = (unit: number, base: number): string =>
    String(Math.floor(rest / unit) % base).padStart(2, "0");
  const fraction = String(rest % 1_000_000)
    .padStart(6, "0")
    .replace(/0+$/, "");
  const time = `${part(3_600_000_000, 24)}:${part(60_000_000, 60)}:${part(1_000_000, 60)}`;
  const date = day === dayOf(near) ? "" : `${new Date(day / 1000).toISOString().slice(0, 10)} `;
  return `${date}${time}${fraction === "" ? "" : `.${fraction}`}`;
}

/** The instant in microseconds, or undefined where the text is none. */
export function parseTime(text: string, near: number): number | undefined {
  const found = FORM.exec(text.trim());
  if (!found) return undefined;
  const [, date, hours = "0", minutes = "0", seconds = "0", fraction = ""] = found;
  const day = date === undefined ? dayOf(near) : Date.parse(`${date}T00:00:00Z`) * 1000;
  if (Number.isNaN(day) || Number(hours) > 23 || Number(minutes) > 59 || Number(seconds) > 59)
    return undefined;
  const whole = (Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds);
  return day + whole * 1_000_000 + Number(fraction.padEnd(6, "0"));
}
