import { describe, expect, test } from "vitest";
import { selectFollowedLanes, MAX_FOLLOWED_LANES, selectOverviewLanes } from "./visibleLanes";

const named = (count: number) => Array.from({ length: count }, (_, i) => ({ name: `n${i}` }));
const names = (some: readonly { name: string }[]) => some.map(({ name }) => name);

describe("the lanes of a plan", () => {
  test("are all followed while they are not too many", () => {
    expect(selectFollowedLanes(named(MAX_FOLLOWED_LANES), {}, new Set())).toHaveLength(MAX_FOLLOWED_LANES);
  });

  test("are followed where they are in sight or their node is selected, once they are many", () => {
    const some = selectFollowedLanes(named(500), { n7: true, n8: true }, new Set(["n400", "n7"]));
    expect(names(some)).toEqual(["n7", "n8", "n400"]);
  });

  test("are never followed in greater number than a socket takes, however many are selected", () => {
    const all = named(500);
    expect(selectFollowedLanes(all, {}, new Set(names(all)))).toHaveLength(MAX_FOLLOWED_LANES);
  });

  test("are followed where they are in sight before those whose node is selected", () => {
    const all = named(500);
    const some = names(selectFollowedLanes(all, { n400: true }, new Set(names(all))));
    expect(some).toContain("n400");
    expect(some).toHaveLength(MAX_FOLLOWED_LANES);
  });

  test("are in the overview where they are in sight, once there is no room for all", () => {
    expect(selectOverviewLanes(named(9), { n1: true })).toHaveLength(9);
    expect(names(selectOverviewLanes(named(50), { n4: true, n9: true }))).toEqual(["n4", "n9"]);
    expect(selectOverviewLanes(named(50), {})).toHaveLength(12);
  });
});
