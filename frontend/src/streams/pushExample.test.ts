import { expect, test } from "vitest";
import { PLAYER } from "../core/graph/sample.testing";
import { pushCommand, sampleEvent } from "./pushExample";

const now = new Date("2024-07-01T09:00:00Z");

test("an example event has the stream's key, time in its unit, id and fields", () => {
  expect(sampleEvent({ ...PLAYER, id: "e" }, now, null)).toEqual({
    session_id: "k1",
    t: 1_719_824_400_000,
    e: "e1719824400000",
    bitrate: 1.5,
    live: true,
  });
  expect(sampleEvent({ ...PLAYER, unit: "iso8601" }, now, null).t).toBe("2024-07-01T09:00:00.000Z");
});

test("an example event looks like one that came, but is no copy of it", () => {
  const like = {
    key: "s9",
    time: 1,
    id: "e7",
    values: { bitrate: "3.25", live: "false", e: "e7", cdn: "B" },
  };
  expect(sampleEvent({ ...PLAYER, id: "e" }, now, like)).toEqual({
    session_id: "s9",
    t: 1_719_824_400_000,
    e: "e1719824400000",
    bitrate: 3.25,
    live: false,
    cdn: "B",
  });
});

test("the command can be pasted into a shell, whatever the names", () => {
  const command = pushCommand({ ...PLAYER, key: "it's" }, "http://x", "abc", now);
  expect(command).toContain("'http://x/api/streams/player/events/'");
  expect(command).toContain("Token abc");
  expect(command).toContain(`"it'\\''s"`);
});

test("a date and a clock in two fields are both filled", () => {
  const stream = { ...PLAYER, time: '["date","clock"]', unit: "iso8601" };
  const event = sampleEvent(stream, new Date("2026-08-03T10:00:00Z"), null);
  expect(event).toMatchObject({ date: "2026-08-03", clock: "10:00:00.000Z" });
});

test("a key of several fields fills each of them, and objects are left out", () => {
  const stream = { ...PLAYER, key: '["machine","card"]' };
  const like = { key: '["m1",7]', time: 1, id: null, values: { data: '{"a":1}', cdn: "B" } };
  expect(sampleEvent(stream, now, like)).toMatchObject({ machine: "m1", card: 7, cdn: "B" });
  expect(sampleEvent(stream, now, like)).not.toHaveProperty("data");
  expect(sampleEvent(stream, now, null)).toMatchObject({ machine: "k1", card: "k2" });
});
