import { expect, test } from "vitest";
import { limitsOf } from "./limits";

test("limits stand at the number that an alert node compares", () => {
  const nodes = {
    temperature: { op: "latest_event_to_state" },
    hot: { op: "alert", inputs: { of: "temperature" }, params: { above: 80, clear: 75 } },
    cold: { op: "alert", inputs: { of: ["temperature"] }, params: { below: 0, clear: 0 } },
    opened: { op: "alert", inputs: { of: "door" }, params: { for: "5min" } },
    loose: { op: "alert", params: { above: 3 } },
  };
  expect(limitsOf({ nodes })).toEqual({
    temperature: [
      { of: "hot", value: 80, clears: false },
      { of: "hot", value: 75, clears: true },
      { of: "cold", value: 0, clears: false },
    ],
  });
});
