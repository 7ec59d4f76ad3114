import { expect, test } from "vitest";
import type { DocumentNode } from "../api/types";
import { captionOf } from "./caption";
import { OPERATORS } from "./sample.testing";

const given = (rest: object) => ({
  ...([...OPERATORS.values()][0] as NonNullable<ReturnType<typeof OPERATORS.get>>),
  needs_stream: false,
  parameters: [],
  ...rest,
});
const parameter = (name: string, type: string) => ({
  name,
  title: name,
  type,
  required: false,
  choices: [],
  percentiles: false,
  default: null,
  help: "",
  placeholder: "",
});
const port = (name: string, kinds: string[]) => ({
  name,
  title: name,
  kinds,
  many: false,
  minimum: 1,
  required: false,
  help: "",
});
const two = (kinds: string[]) => ({
  inputs: [port("of", kinds), port("other", kinds)],
  parameters: [parameter("value", "value")],
  one_of: ["value", "other"],
});
const operators = new Map(
  Object.entries({
    divide: given({ ...two(["number"]), caption: "÷ {value}" }),
    equal_to: given({ ...two(["text"]), caption: "= {value}" }),
    mean_within: given({ parameters: [parameter("duration", "duration")], caption: "over {duration}" }),
    aggregate: given({ parameters: [parameter("function", "choice"), parameter("every", "duration")] }),
    leaf: given({ parameters: [parameter("where", "predicate"), parameter("duration", "duration")] }),
  }),
) as unknown as typeof OPERATORS;
const caption = (node: DocumentNode): string =>
  captionOf({ version: 1, name: "", nodes: { node } }, "node", { operators, streams: new Map() });

test.each([
  [{ op: "divide", params: { value: 300 } }, "÷ 300"],
  [{ op: "divide", params: { value: "10min" } }, "÷ 10 min"],
  [{ op: "divide", inputs: { of: "a", other: "visits" } }, "÷ visits"],
  [{ op: "divide" }, ""],
  [{ op: "equal_to", params: { value: "failed" } }, '= "failed"'],
  [{ op: "equal_to", params: { value: "5s" } }, '= "5s"'],
  [{ op: "mean_within", params: { duration: "5min" } }, "over 5 min"],
  [{ op: "mean_within" }, ""],
  [{ op: "aggregate", params: { function: "p95", every: "1h" } }, "p95, 1 h"],
  [{ op: "leaf", params: { where: 'a == "5s"', duration: "250ms" } }, 'a == "5s", 250 ms'],
  [{ op: "gone", params: { x: 1, y: "2" } }, "1, 2"],
] as [DocumentNode, string][])("the setting of %j is %s", (node, words) => {
  expect(caption(node)).toBe(words);
});
