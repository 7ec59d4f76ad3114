import { expect, test } from "vitest";
import type { SourceKind } from "../api/streams";
import { givenSource } from "./source";

const option = { kind: "text", help: "", default: "", choices: [] } as const;
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
