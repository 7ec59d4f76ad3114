import { expect, it } from "vitest";
import type { Operator, PlanDocument } from "../api/types";
import { selectEveryoneNodes, findHiddenStream, outputKind } from "./kinds";
import { CATALOGUE, parameterOf } from "./sample.testing";

const operator = (name: string, category: Operator["category"]): [string, Operator] => [
  name,
  {
    name,
    title: name,
    category,
    summary: "",
    description: "",
    needs_stream: category === "stream",
    reads_streams: false,
    takes_stream: category === "stream",
    inputs: [],
    parameters: [],
    one_of: [],
    example: { plan: "", events: [] },
    output: "number",
    by_arrival: false,
    synonyms: [],
    caption: "",
    keeps_kind: [],
    source: "",
    version: "",
  },
];
const OPERATORS = new Map([
  operator("count", "stream"),
  operator("aggregate", "keys"),
  operator("divide", "timelines"),
]);

it("knows the nodes of which everyone is the only group", () => {
  const document: PlanDocument = {
    version: 1,
    name: "",
    nodes: {
      events: { op: "count" },
      total: { op: "aggregate", inputs: { of: "events" } },
      most: { op: "aggregate", inputs: { of: "events" } },
      share: { op: "divide", inputs: { of: "most", other: "total" } },
      by_line: { op: "aggregate", inputs: { of: "events", by: "line" } },
      line: { op: "count" },
      mixed: { op: "divide", inputs: { of: "by_line", other: "total" } },
    },
  };
  expect([...selectEveryoneNodes(document, OPERATORS)].sort()).toEqual(["most", "share", "total"]);
});

it("passes the kind of what is read on with a choice that keeps it", () => {
  const choice = { ...parameterOf("choice"), choices: ["sum", "mode"] };
  const keeps = { ...operator("aggregate", "keys")[1], parameters: [choice], keeps_kind: ["mode"] };
  const operators = new Map([...CATALOGUE.operators, ["aggregate", keeps]]);
  const nodes = {
    on: { op: "has_existed_within" },
    usual: { op: "aggregate", inputs: { of: "on" }, params: { function: "mode" } },
    total: { op: "aggregate", inputs: { of: "on" }, params: { function: "sum" } },
  };
  const kind = (name: string) => outputKind({ version: 1, name: "", nodes }, name, operators, new Map());
  expect([kind("usual"), kind("total")]).toEqual(["bool", "number"]);
});

it("takes the kind of a field with a choice that keeps it, else the operator's own", () => {
  const choice = { ...parameterOf("choice"), choices: ["distinct", "last"] };
  const [, leaf] = operator("values_within", "stream");
  const parameters = [choice, { ...parameterOf("field"), name: "field" }];
  const keeps = { ...leaf, parameters, keeps_kind: ["last"] };
  const operators = new Map([...CATALOGUE.operators, ["values_within", keeps]]);
  const of = (chosen: string) => ({
    op: "values_within",
    stream: "player",
    params: { field: "player_state", [choice.name]: chosen },
  });
  const nodes = { cards: of("distinct"), newest: of("last") };
  const kind = (name: string) =>
    outputKind({ version: 1, name: "", nodes }, name, operators, CATALOGUE.streams);
  expect([kind("cards"), kind("newest")]).toEqual(["number", "text"]);
});

it("names the stream behind a kind that is not shared, and none where the kind is told otherwise", () => {
  const nodes = {
    state: { op: "latest_event_to_state", stream: "secret" },
    later: { op: "shift", inputs: { of: "state" } },
    same: { op: "equal_to", inputs: { of: "later" } },
    open: { op: "latest_event_to_state", stream: "player" },
    alone: { op: "shift" },
    round: { op: "shift", inputs: { of: "round" } },
  };
  const document: PlanDocument = { version: 1, name: "", nodes };
  const hidden = (name: string) => findHiddenStream(document, name, CATALOGUE.operators, ["secret"]);
  expect(Object.keys(nodes).filter((name) => hidden(name) === "secret")).toEqual(["state", "later"]);
  expect(findHiddenStream(document, "later", CATALOGUE.operators, [])).toBeNull();
});
