/** Operators, a stream and the plan of the documentation, for the tests. */
import type { InputPort, Operator, Parameter, ParameterType, PlanDocument, Stream } from "../api/types";

function port(name: string, kinds: InputPort["kinds"], many = false, required = true): InputPort {
  return { name, title: name, kinds, many, minimum: many ? 2 : 1, required, help: "" };
}

function parameter(name: string, type: ParameterType, required = true): Parameter {
  return {
    name,
    title: name,
    type,
    required,
    choices: [],
    percentiles: false,
    default: null,
    help: "",
    placeholder: "",
  };
}

function operator(name: string, rest: Partial<Operator>): [string, Operator] {
  const text = { title: name, summary: "", description: "" };
  const empty = {
    needs_stream: false,
    reads_streams: false,
    takes_stream: false,
    inputs: [],
    parameters: [],
    one_of: [],
    by_arrival: false,
    synonyms: [],
    caption: "",
    keeps_kind: [],
    source: "",
    version: "",
    output: "bool" as const,
  };
  const example = { plan: "", events: [] };
  return [name, { name, category: "timelines", ...text, ...empty, example, ...rest }];
}

/** A parameter of this type. */
export const parameterOf = (type: ParameterType): Parameter => parameter("function", type);

/** An operator with these ports. */
export const operatorOf = (name: string, ports: readonly string[]): Operator =>
  operator(name, { inputs: ports.map((one) => port(one, ["any"], false, false)) })[1];

export const OPERATORS = new Map([
  operator("latest_event_to_state", {
    category: "stream",
    needs_stream: true,
    takes_stream: true,
    parameters: [parameter("field", "field")],
    output: "any",
  }),
  operator("has_existed_within", {
    category: "stream",
    needs_stream: true,
    takes_stream: true,
    parameters: [parameter("where", "predicate"), parameter("duration", "duration")],
  }),
  operator("and", { inputs: [port("of", ["bool"], true)] }),
  operator("not", { inputs: [port("of", ["bool"])] }),
  operator("equal_to", {
    inputs: [port("of", ["text", "bool", "number"]), port("other", ["text", "bool", "number"], false, false)],
    parameters: [parameter("value", "value", false)],
    one_of: ["value", "other"],
  }),
  operator("duration_where", { inputs: [port("of", ["bool"])], output: "number" }),
  operator("shift", {
    inputs: [port("of", ["any"])],
    parameters: [parameter("duration", "duration")],
    output: "any",
  }),
  operator("aggregate", {
    category: "keys",
    inputs: [port("of", ["number", "bool"]), port("by", ["text"], false, false)],
    output: "number",
  }),
]);

/** The same, and some that read a stream beside nodes, or instead of one. */
export const MEETING = new Map([
  ...OPERATORS,
  operator("event_count", {
    category: "stream",
    needs_stream: true,
    takes_stream: true,
    inputs: [port("while", ["bool"], false, false)],
    parameters: [parameter("where", "predicate", false)],
    output: "number",
  }),
  operator("value_at", {
    takes_stream: true,
    inputs: [port("of", ["text", "bool", "number"]), port("when", ["bool"], false, false)],
    parameters: [parameter("where", "predicate", false)],
    one_of: ["stream", "when"],
    output: "any",
  }),
]);

export const PLAYER: Stream = {
  name: "player",
  key: "session_id",
  time: "t",
  unit: "ms",
  id: null,
  fields: { bitrate: "number", live: "bool" },
  allowed_lateness: "30s",
  retention: "7d",
  idle_after: null,
  zone: null,
  until: null,
  allowed_ahead: "1d",
  encoding: null,
  owner: "ana",
  owner_kind: "person",
  rights: ["read"],
  open_to_all: true,
  events: 0,
  last_event_at: null,
  display: {},
  seen_fields: ["cdn"],
};

export const CATALOGUE = { operators: OPERATORS, streams: new Map([["player", PLAYER]]) };

export const CIRR: PlanDocument = {
  version: 1,
  name: "Connection-induced rebuffering",
  nodes: {
    seeking: {
      op: "has_existed_within",
      stream: "player",
      params: { where: 'user_action == "seek"', duration: "5s" },
    },
    calm: { op: "not", inputs: { of: "seeking" }, comment: "not just after a seek" },
    state: { op: "latest_event_to_state", stream: "player", params: { field: "player_state" } },
    buffering: { op: "equal_to", inputs: { of: "state" }, params: { value: "buffer" } },
    induced: { op: "and", inputs: { of: ["calm", "buffering"] } },
    cirr: { op: "duration_where", inputs: { of: "induced" } },
  },
  results: ["cirr"],
  layout: { seeking: [0, 0] },
  groups: [{ title: "Seeks", nodes: ["seeking", "calm"] }],
  comments: ["What this is about.", { text: "The result.", before: "cirr" }],
  kept: true,
};
