import { expect, test } from "vitest";
import { formatLabels, newDraft, parseLabels, refusesDraft, toSettings } from "./settings";

test("labels are written as name=text", () => {
  expect(parseLabels(" team=bakery, hall = 2 ,url=a=b,")).toEqual({ team: "bakery", hall: "2", url: "a=b" });
  expect(parseLabels(formatLabels({ team: "bakery", hall: "2" }))).toEqual({ team: "bakery", hall: "2" });
});

test("what is no label, or has no name, is refused", () => {
  expect(refusesDraft(newDraft("hot"))).toBeNull();
  expect(refusesDraft(newDraft("  "))).toBe("Give the alert a name.");
  expect(refusesDraft({ ...newDraft("hot"), labels: "team=bakery, hall" })).toBe(
    "“hall” is no label. Write name=text, such as team=bakery.",
  );
  expect(refusesDraft({ ...newDraft("hot"), labels: "=2" })).not.toBeNull();
});

test("a name is sent without the blanks around it", () => {
  expect(toSettings(newDraft(" hot "))).toMatchObject({ name: "hot", labels: {}, severity: "warning" });
});
