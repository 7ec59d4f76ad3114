import { expect, test } from "vitest";
import { describeOtherReaders } from "./otherReaders";

const ENDS = "They stop when it is no longer shared with their owners.";

test("the owner of a stream is told who else reads it", () => {
  const owners = [
    { owner: "eve", owner_kind: "person" as const },
    { owner: "crew", owner_kind: "team" as const },
  ];
  expect(describeOtherReaders({ plans: 3, owners })).toBe(
    `3 plans of others read it, which you may not view: eve, the team crew. ${ENDS}`,
  );
  expect(describeOtherReaders({ plans: 1, owners: owners.slice(0, 1) })).toBe(
    `1 plan of others reads it, which you may not view: eve. ${ENDS}`,
  );
});

test("nothing is said where there is none, or where it is not told", () => {
  expect(describeOtherReaders({ plans: 0, owners: [] })).toBeNull();
  expect(describeOtherReaders(null)).toBeNull();
});
