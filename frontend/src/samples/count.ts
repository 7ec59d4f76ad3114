/** How many events a sample may hold. */
const MOST = 50_000;

/** Why a sample cannot hold so many events of a stream, as typed, or null. */
export function refusesCount(text: string): string | null {
  const count = Number(text);
  if (text.trim() === "") return "Say how many events.";
  if (Number.isInteger(count) && count >= 1 && count <= MOST) return null;
  return `A sample holds 1 to ${MOST.toLocaleString("en")} events: write a whole number of these.`;
}
