import { expect, test } from "vitest";
import type { SinkKind } from "./calls";
import { givenSink } from "./given";

const option = {
  help: "",
  default: null,
  choices: [],
  required: false,
  secret: false,
  folder: false,
  unit: "",
};
const KIND: SinkKind = {
  name: "postgres",
  title: "PostgreSQL",
  once: "exactly once",
  options: [
    { ...option, name: "host", kind: "text", required: true },
    { ...option, name: "every", kind: "number" },
    { ...option, name: "port", kind: "whole" },
    { ...option, name: "tls", kind: "bool" },
    { ...option, name: "password", kind: "text", secret: true },
  ],
};

test("numbers and switches are sent as what they are, and what is empty is left out unless it is needed", () => {
  expect(givenSink(KIND, { every: " 2.5 ", port: "5432", tls: "false" })).toEqual({
    host: "",
    every: 2.5,
    port: 5432,
    tls: false,
  });
});

test("what is no number is sent as it was written, so that the server says what is wrong", () => {
  expect(givenSink(KIND, { host: "h", every: "often", port: "" })).toEqual({ host: "h", every: "often" });
});
