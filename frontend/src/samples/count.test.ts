import { expect, test } from "vitest";
import { refusesCount } from "./count";

test.each(["1", "500", "50000", " 7 "])("%s events can be kept", (text) => {
  expect(refusesCount(text)).toBeNull();
});

test.each(["-5", "0", "1.5", "50001", "1e9", "many"])("%s is refused with what can be", (text) => {
  expect(refusesCount(text)).toBe("A sample holds 1 to 50,000 events: write a whole number of these.");
});

test("nothing is asked for", () => expect(refusesCount(" ")).toBe("Say how many events."));
