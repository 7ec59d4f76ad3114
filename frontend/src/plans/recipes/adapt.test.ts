import { expect, test } from "vitest";
import type { PlanDocument } from "../../core/api/types";
import { PLAYER } from "../../core/graph/sample.testing";
import { adaptRecipe } from "./adapt";

const RECIPE: PlanDocument = {
  version: 1,
  name: "Recipe",
  nodes: {
    rate: { op: "latest_event_to_state", stream: "machine", params: { field: "bitrate" } },
    state: { op: "latest_event_to_state", stream: "machine", params: { field: "state" } },
    failed: { op: "event_count", stream: "machine", params: { where: 'state == "failed"' } },
    recent: { op: "has_existed_within", stream: "machine", params: { where: "cdn == 1", duration: "5s" } },
    low: { op: "not", inputs: { of: "recent" } },
  },
};

test("a recipe reads the likely stream and keeps the fields that this one has, declared or seen", () => {
  const { nodes } = adaptRecipe(RECIPE, new Map([["player", PLAYER]]), "player");
  expect(nodes.rate).toEqual({ op: "latest_event_to_state", stream: "player", params: { field: "bitrate" } });
  expect(nodes.state).toEqual({ op: "latest_event_to_state", stream: "player" });
  expect(nodes.failed).toEqual({ op: "event_count", stream: "player" });
  expect(nodes.recent?.params).toEqual({ where: "cdn == 1", duration: "5s" });
  expect(nodes.low).toBe(RECIPE.nodes.low);
});

test("a stream of that name is read as it is", () => {
  const machine = { ...PLAYER, name: "machine", fields: {}, seen_fields: [] };
  expect(adaptRecipe(RECIPE, new Map([["machine", machine]]), undefined)).toEqual(RECIPE);
});

test("without any stream the nodes wait for one", () => {
  const { nodes } = adaptRecipe(RECIPE, new Map(), undefined);
  expect(nodes.rate).toEqual({ op: "latest_event_to_state" });
  expect(nodes.recent).toEqual({ op: "has_existed_within", params: { duration: "5s" } });
});

test("the steps of a sequence read the likely stream, each with its condition", () => {
  const steps = [
    { name: "login", stream: "shop", where: 'page == "login"' },
    { name: "paid", stream: "player" },
  ];
  const bought = { op: "sequence", params: { steps, within: "30min" } };
  const recipe = { version: 1, name: "Recipe", nodes: { bought } } as PlanDocument;
  const { nodes } = adaptRecipe(recipe, new Map([["player", PLAYER]]), "player");
  expect(nodes.bought?.params?.steps).toEqual([{ ...steps[0], stream: "player" }, steps[1]]);
  expect(nodes.bought?.params?.within).toBe("30min");
  expect(adaptRecipe(recipe, new Map(), undefined)).toEqual(recipe);
});
