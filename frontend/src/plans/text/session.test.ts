import { ChangeSet, Text } from "@codemirror/state";
import { expect, test } from "vitest";
import type { PlanDocument } from "../../core/api/types";
import { createMemory } from "./memory";
import { Session, type Form, type Reading, type SyncState } from "./session";

/** A language of one line a node, `name op`, then a line `at name x y` for each place; `!` cannot be read. */
const LINES: Form = {
  write: (document) => {
    const nodes = Object.entries(document.nodes).map(([name, { op }]) => `${name} ${op}`);
    const places = Object.entries(document.layout ?? {}).map(([name, [x, y]]) => `at ${name} ${x} ${y}`);
    return Promise.resolve([...nodes, ...places].join("\n"));
  },
  read: (text) => Promise.resolve(readLines(text)),
};

function readLines(text: string): Reading {
  const bad = text.split("\n").findIndex((line) => line.includes("!"));
  if (bad >= 0) {
    const problem = {
      node: null,
      port: null,
      code: "x",
      message: "no",
      hint: "",
      severity: "error" as const,
    };
    return { document: null, problems: [{ ...problem, line: bad + 1, column: 1 }], places: {} };
  }
  const document: PlanDocument = { version: 1, name: "P", nodes: {} };
  for (const words of text.split("\n").map((line) => line.trim().split(/ +/))) {
    const [first = "", second = "", x, y] = words;
    if (first === "at") document.layout = { ...document.layout, [second]: [Number(x), Number(y)] };
    else if (first !== "" && !first.startsWith("#")) document.nodes[first] = { op: second };
  }
  return { document, problems: [], places: {} };
}

const START: PlanDocument = {
  version: 1,
  name: "P",
  nodes: { a: { op: "x" }, b: { op: "y" } },
  layout: { a: [0, 0], b: [9, 9] },
};

function desk(form: Form = LINES) {
  const syncStates: SyncState[] = [];
  const held = { text: Text.of([""]), document: START, taken: 0 };
  const sheet = {
    text: () => held.text.toString(),
    apply: (set: ChangeSet) => {
      held.text = set.apply(held.text);
    },
    settled: () => undefined,
  };
  const session = new Session(
    form,
    sheet,
    {
      document: () => held.document,
      take: (document) => {
        held.document = document;
        held.taken += 1;
      },
      tell: (standing) => void syncStates.push(standing),
    },
    createMemory(),
    1e6,
  );
  const type = (text: string) => {
    held.text = Text.of(text.split("\n"));
    session.typed();
  };
  const elsewhere = async (document: PlanDocument) => {
    held.document = document;
    session.follow();
    await session.settle();
  };
  return { held, told: syncStates, session, type, elsewhere, text: sheet.text };
}

const moved = (document: PlanDocument): PlanDocument => ({
  ...document,
  layout: { ...document.layout, a: [50, 60] },
});

test("what is typed becomes the document, in one step, and what it does not touch stays the very same", async () => {
  const { held, session, type } = desk();
  await session.open(null);
  type("a x\nb z\nat a 0 0\nat b 9 9");
  await session.settle();
  expect(held.document.nodes).toEqual({ a: { op: "x" }, b: { op: "z" } });
  expect(held.document.nodes.a).toBe(START.nodes.a);
  expect(held.document.layout).toBe(START.layout);
  expect(held.taken).toBe(1);
});

test("another spelling of the same document is no edit", async () => {
  const { held, session, type } = desk();
  await session.open(null);
  type("# mine\na   x\nb y\nat a 0 0\nat b 9 9");
  await session.settle();
  expect(held.taken).toBe(0);
  expect(session.isDirty).toBe(false);
});

test("a change elsewhere leaves the rest as it was typed", async () => {
  const { held, session, type, elsewhere, text } = desk();
  await session.open(null);
  type("# mine\na   x\nb y\nat a 0 0\nat b 9 9");
  await session.settle();
  await elsewhere(moved(held.document));
  expect(text()).toBe("# mine\na   x\nb y\nat a 50 60\nat b 9 9");
  expect(session.isDirty).toBe(false);
});

test("where the typed text with the change would mean something else, the form writes it", async () => {
  const odd: Form = { ...LINES, read: (text) => Promise.resolve(readLines(text.replace("# mine", "c q"))) };
  const { held, session, type, elsewhere, text } = desk(odd);
  await session.open(null);
  type("# mine\na x\nb y\nat a 0 0\nat b 9 9");
  await session.settle();
  await elsewhere({ ...held.document, nodes: START.nodes });
  expect(text()).toBe("a x\nb y\nat a 0 0\nat b 9 9");
});

test("what cannot be read changes nothing, keeps what changes elsewhere, and is read when it is mended", async () => {
  const { held, told, session, type, elsewhere, text } = desk();
  await session.open(null);
  type("a x!\nb y\nat a 0 0\nat b 9 9");
  await session.settle();
  expect(held.document).toBe(START);
  expect(told.at(-1)).toMatchObject({ state: "unread", problems: [{ line: 1, column: 1 }] });
  await elsewhere(moved(START));
  expect(text()).toBe("a x!\nb y\nat a 50 60\nat b 9 9");
  expect(held.document).toEqual(moved(START));
  type(text().replace("!", "x"));
  await session.settle();
  expect(held.document).toEqual({ ...moved(START), nodes: { a: { op: "xx" }, b: { op: "y" } } });
  expect(told.at(-1)?.state).toBe("even");
});

test("an undo elsewhere brings the text back as it was typed", async () => {
  const { held, session, type, elsewhere, text } = desk();
  await session.open(null);
  type("a   z\nb y\nat a 0 0\nat b 9 9");
  await session.settle();
  const typed = held.document;
  await elsewhere(START);
  expect(text()).toBe("a x\nb y\nat a 0 0\nat b 9 9");
  await elsewhere(typed);
  expect(text()).toBe("a   z\nb y\nat a 0 0\nat b 9 9");
});

test("a draft that could not be read is there again, with what changed meanwhile", async () => {
  const first = desk();
  await first.session.open(null);
  first.type("a x!\nb y\nat a 0 0\nat b 9 9");
  await first.session.settle();
  const draft = first.session.draft();
  const second = desk();
  second.held.document = moved(START);
  await second.session.open(draft);
  expect(second.text()).toBe("a x!\nb y\nat a 50 60\nat b 9 9");
  expect(second.told.at(-1)?.state).toBe("unread");
});

test("what is typed and taken back is not typed", async () => {
  const { held, session, type } = desk();
  await session.open(null);
  const before = held.text.toString();
  type(`${before}!`);
  expect(session.draft()).not.toBeNull();
  type(before);
  expect(session.draft()).toBeNull();
  await session.settle();
  expect(held.taken).toBe(0);
});

test("typed text that cannot be read can be given up", async () => {
  const { held, told, session, type, text } = desk();
  await session.open(null);
  type("nonsense!");
  await session.settle();
  await session.discard();
  expect(text()).toBe("a x\nb y\nat a 0 0\nat b 9 9");
  expect([session.draft(), told.at(-1)?.state, held.taken]).toEqual([null, "even", 0]);
});

test("where the server is away nothing is lost, and it is said", async () => {
  let away = false;
  const form: Form = {
    ...LINES,
    read: (text) => (away ? Promise.reject(new Error("away")) : LINES.read(text)),
  };
  const { held, told, session, type } = desk(form);
  await session.open(null);
  away = true;
  type("a x\nat a 0 0");
  await session.settle();
  expect(told.at(-1)).toMatchObject({ state: "away", failure: "away" });
  expect(session.draft()?.text).toBe("a x\nat a 0 0");
  away = false;
  await session.settle();
  expect(Object.keys(held.document.nodes)).toEqual(["a"]);
});
