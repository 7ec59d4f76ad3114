/** What the tour does for the reader over REST: a late event for their stream, and taking away what was made on the way. */
import { ApiError, api } from "../api/client";
import { streamApi } from "../api/streams";

/** How the streams begin that the tour names. */
export const NAME_OF_TOUR = "my_events_";

export const isOfTour = (stream: string): boolean => stream.startsWith(NAME_OF_TOUR);

/** So long before the newest event of the key it happened. */
const LATE_MS = 8000;

export const refusal = (words: string): ApiError => new ApiError(0, "tour", words);

/** An event of the sample's form, before the newest one of its key: a state that the others do not have. */
export function lateEvent(key: string, newest: number, now: number): Record<string, string | number> {
  return { session_id: key, event_id: `tour-late-${now}`, t: newest - LATE_MS, player_state: "stalled" };
}

/** Pushes a late event of the key that is chosen. */
export async function sendLate(stream: string, key: string): Promise<void> {
  if (!isOfTour(stream) || key === "")
    throw refusal(
      "The tour pushes events to its own stream only. Push one with an earlier time: the page of the stream shows the call.",
    );
  const { fields } = await streamApi.stream(stream);
  if (!Object.hasOwn(fields, "player_state"))
    throw refusal(
      "The tour does not know these events. Push one with an earlier time, as the page of the stream shows.",
    );
  const times = (await streamApi.newest(stream))
    .filter((eventRow) => eventRow.key === key)
    .map(({ time }) => time);
  if (times.length === 0) throw refusal(`No recent event has the key ${key}. Choose another key.`);
  const event = lateEvent(key, Math.floor(Math.max(...times) / 1000), Date.now());
  await streamApi.push(stream, new Blob([JSON.stringify(event)]), [], false, String(event["event_id"]));
}

const planOf = (path: string): number | null => Number(/^\/plans\/(\d+)\//.exec(path)?.[1] ?? "") || null;

/** Deletes the stream of the tour and the plan on the page, if that reads nothing else. */
export async function tidyUp(stream: string, path: string): Promise<void> {
  const id = planOf(path);
  if (!isOfTour(stream)) return;
  if (id !== null) {
    const plan = await api.plan(id);
    const read = Object.values(plan.document.nodes).flatMap((node) => node.stream ?? []);
    if (read.length > 0 && read.every((one) => one === stream)) {
      if (plan.running) await api.stop(id);
      await api.deletePlan(id);
    }
  }
  await streamApi.delete(stream, true);
}
