import { expect, test } from "vitest";
import type { IncidentWithHistory } from "./calls";
import { frozenAddress, incidentAsOf, readKnownAt } from "./frozen";

const NOON = 1_719_835_200_000_000;
const change = (number: number, state: string, end: number | null) => ({
  number,
  kind: state,
  state,
  start: NOON,
  end,
  event_time: NOON,
  known_at: NOON + number,
  joined: null,
});
const incident = {
  id: 7,
  state: "resolved",
  start: NOON,
  end: NOON + 5,
  history: [change(1, "firing", null), change(9, "resolved", NOON + 5)],
  notes: [{ kind: "comment", author: "ada", text: "on it", at: "2024-07-01T12:00:01Z" }],
} as unknown as IncidentWithHistory;

test("an incident is what its history said by then", () => {
  expect(incidentAsOf(incident, NOON)).toBeNull();
  expect(incidentAsOf(incident, NOON + 4)).toMatchObject({ state: "firing", end: null, notes: [] });
  expect(incidentAsOf(incident, NOON + 9)).toMatchObject({ state: "resolved", end: NOON + 5 });
});

test("the address keeps the moment to the microsecond", () => {
  const address = frozenAddress(7, NOON + 4);
  expect(address).toContain("/incidents/7/?known_at=");
  expect(readKnownAt(address.slice(address.indexOf("?")))).toBe(NOON + 4);
  expect(readKnownAt("")).toBeNull();
});
