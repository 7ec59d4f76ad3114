import { expect, test } from "vitest";
import { nameOf, usersOf } from "./nodeUsers";

const use = (plan: number | null, name: string) => ({
  plan,
  plan_name: `plan ${plan}`,
  name,
  owner: "ada",
  owner_kind: "person" as const,
});

test("a node is called as a plan calls it, on its page and in the list; an input without a name as what it does", () => {
  expect(nameOf({ operator_title: "Not", users: [use(1, ""), use(2, "calm")] })).toBe("calm");
  expect(nameOf({ operator_title: "Not", users: [use(1, "")] })).toBe("Not");
});

test("plans that are not shared are counted", () => {
  expect(usersOf({ users: [use(1, "a"), use(1, "b"), use(null, "c")] })).toEqual([
    { plan: 1, title: "plan 1" },
    { plan: null, title: "one not shared with you" },
  ]);
});
