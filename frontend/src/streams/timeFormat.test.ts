import { expect, test } from "vitest";
import { formatTime } from "./timeFormat";

const NOW = new Date("2024-07-01T20:05:09.007Z");

test.each([
  ["%d.%m.%Y %H:%M:%S", "Europe/Berlin", "01.07.2024 22:05:09"],
  ["%m/%d/%y %I:%M %p", "America/New_York", "07/01/24 04:05 PM"],
  ["%a, %d %b %Y %T %z", "Europe/Berlin", "Mon, 01 Jul 2024 20:05:09 +0000"],
  ["%Y%j 100%% %H%M%S.%f", "UTC", "2024183 100% 200509.007"],
  ["%A %B", "Asia/Tokyo", "Tuesday July"],
])("%s in %s", (format, zone, text) => {
  expect(formatTime(NOW, format, zone)).toBe(text);
});
