import { expect, test } from "vitest";
import type { SourceKind } from "../api/streams";
import { givenSource } from "./source";

const option = { kind: "text", help: "", default: "", choices: [], folder: false, unit: "" } as const;
const KAFKA: SourceKind = {
  name: "kafka",
  title: "Kafka",
  options: [
    { ...option, name: "servers", required: true, secret: false, choices: [] },
    { ...option, name: "user", required: false, secret: false, choices: [] },
    { ...option, name: "password", required: false, secret: true, choices: [] },
  ],
};

test("a secret that is not written stays, and what is needed is sent though it is empty", () => {
  expect(givenSource(KAFKA, { user: " ada " })).toEqual({
    kind: "kafka",
    options: { servers: "", user: "ada" },
  });
  expect(givenSource(KAFKA, { servers: "b:1", password: "hush" }).options).toEqual({
    servers: "b:1",
    password: "hush",
  });
});

test("what is written is sent as its option takes it, and what is no number as it is", () => {
  const base = { ...option, choices: [], required: false, secret: false };
  const kind: SourceKind = {
    name: "files",
    title: "Files",
    options: [
      { ...base, name: "quiet", kind: "number" },
      { ...base, name: "consumers", kind: "whole" },
      { ...base, name: "deep", kind: "bool" },
    ],
  };
  expect(givenSource(kind, { quiet: "1.5", consumers: "two", deep: "true" }).options).toEqual({
    quiet: 1.5,
    consumers: "two",
    deep: true,
  });
});
