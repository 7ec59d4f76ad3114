import { expect, test } from "vitest";
import { describeKeyLookup } from "../core/search/keyWords";
import { describeEmpty, describeStanding } from "./empty";

const plan = { owner: "ada", owner_kind: "person", rights: ["read"], running: false } as const;
const mine = { ...plan, rights: ["read", "edit", "operate", "own"] as const };
const told = (one: object) => ({ ...plan, ...one, rights: [...plan.rights] });

test("who may run the plan is told to run it, and what runs is waited for", () => {
  expect(describeEmpty(null, { role: "editor" })).toMatch(/^Run the plan;/);
  expect(describeEmpty({ ...mine, rights: [...mine.rights] }, { role: "editor" })).toMatch(/^Run the plan;/);
  expect(describeEmpty(told({ running: true }), { role: "viewer" })).toMatch(/^The plan runs;/);
});

test("who may not run it reads whom to ask, and nothing of who else may", () => {
  expect(describeEmpty(told({}), { role: "editor" })).toBe(
    "The plan does not run, and you may not run it. Ask ada.",
  );
  expect(describeEmpty(told({ owner: "ops", owner_kind: "team" }), { role: "editor" })).toBe(
    "The plan does not run, and you may not run it. Ask somebody of the team ops.",
  );
});

test("an owner who may only look is not sent to herself", () => {
  expect(describeEmpty(told({}), { role: "viewer" })).toBe(
    "The plan does not run. Your role does not let you run it. Ask an administrator.",
  );
});

test("that there is no key is not said before it is known, nor while the server is away", () => {
  for (const stands of [null, STARTING]) expect(describeKeyLookup("d", null, stands)).toBe("Loading keys…");
  expect(describeKeyLookup("d", { keys: [], failure: "The server cannot be reached." }, STARTING)).toBe(
    "Could not load its keys; retrying: The server cannot be reached.",
  );
  expect(describeKeyLookup("d", { keys: [], failure: null }, null)).toBeNull();
  expect(describeKeyLookup(null, null, null), "nobody looks").toBeNull();
});

const at = (observed: string, words = observed, trouble = "", hint = "") => ({
  observed,
  words,
  trouble,
  hint,
});
const STARTING = describeStanding("stalls", at("starting"));

test("what a node without keys waits for is said in the words of its state", () => {
  expect(STARTING).toBe("“stalls” has no key yet: its query is starting.");
  expect(describeKeyLookup("d", { keys: [], failure: null }, STARTING)).toBe(STARTING);
  expect(
    describeKeyLookup("d", { keys: [], failure: null }, STARTING, "s9"),
    "no key is called so",
  ).toBeNull();
  expect(describeKeyLookup("d", { keys: ["s1"], failure: null }, STARTING)).toBeNull();
  expect(describeStanding("stalls", at("retrying", "retry 2 of 20", "The disk is full.", "Make room."))).toBe(
    "“stalls” has no key yet: its query failed, and is tried again (retry 2 of 20). The disk is full. Make room.",
  );
  expect(describeStanding("stalls", at("failed", "failed"))).toBe(
    "“stalls” has no key: its query has failed.",
  );
  expect(describeStanding("stalls", at("running", "idle"))).toBeNull();
  expect(describeStanding("stalls", at("stopped"))).toBeNull();
});
