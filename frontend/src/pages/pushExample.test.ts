import { expect, test } from "vitest";
import { PLAYER } from "../graph/sample.testing";
import { pushCommand, sampleEvent } from "./pushExample";

const now = new Date("2024-07-01T09:00:00Z");

test("an example event has the stream's key, time in its unit, id and fields", () => {
  expect(sampleEvent({ ...PLAYER, id: "e" }, now)).toEqual({
    session_id: "k1",
    t: 1_719_824_400_000,
    e: "e1",
    bitrate: 1.5,
    live: true,
  });
  expect(sampleEvent({ ...PLAYER, unit: "iso8601" }, now).t).toBe("2024-07-01T09:00:00.000Z");
});

test("the command can be pasted into a shell, whatever the names", () => {
  const command = pushCommand({ ...PLAYER, key: "it's" }, "http://x", "abc", now);
  expect(command).toContain("'http://x/api/streams/player/events/'");
  expect(command).toContain("Token abc");
  expect(command).toContain(`"it'\\''s"`);
});
