import { expect, test } from "vitest";
import { toSentOptions, listKeptSecrets, formatOptionTitle, type Option } from "./options";

const option: Omit<Option, "name"> = {
  kind: "text",
  help: "",
  default: null,
  choices: [],
  required: false,
  secret: false,
  folder: false,
  unit: "",
  guards: false,
};
const OPTIONS: readonly Option[] = [
  { ...option, name: "host", required: true },
  { ...option, name: "token", required: true, secret: true },
  { ...option, name: "every", kind: "number" },
  { ...option, name: "port", kind: "whole" },
  { ...option, name: "tls", kind: "bool" },
  { ...option, name: "password", secret: true },
];

test("numbers and switches are sent as what they are, and what is empty is left out unless it is needed", () => {
  expect(toSentOptions(OPTIONS, { every: " 2.5 ", port: "5432", tls: "false" })).toEqual({
    host: "",
    token: "",
    every: 2.5,
    port: 5432,
    tls: false,
  });
});

test("what is no number is sent as it was written, so that the server says what is wrong", () => {
  expect(toSentOptions(OPTIONS, { host: "h", token: "t", every: "often", port: "" })).toEqual({
    host: "h",
    token: "t",
    every: "often",
  });
});

test("a secret that is kept stays where nothing is written, and goes where it is removed", () => {
  const kept = ["token", "password"];
  expect(toSentOptions(OPTIONS, { host: "h", password: "" }, kept)).toEqual({ host: "h" });
  expect(toSentOptions(OPTIONS, { host: "h", password: "hush" }, kept)).toEqual({
    host: "h",
    password: "hush",
  });
  expect(toSentOptions(OPTIONS, { host: "h", password: null }, kept)).toEqual({ host: "h", password: "" });
});

test("no secret stays where another option changes who is told it, or how", () => {
  const guarded = OPTIONS.map((one) =>
    one.name === "host"
      ? { ...one, guards: true }
      : one.name === "tls"
        ? { ...one, guards: true, default: false }
        : one,
  );
  const before = { options: { host: "h" }, secrets: ["password"] };
  const stay = (filled: Record<string, string>) => listKeptSecrets(guarded, { host: "h", ...filled }, before);
  expect(stay({})).toEqual(["password"]);
  expect(stay({ every: "9", tls: "false", host: " h " })).toEqual(["password"]);
  expect(stay({ tls: "true" })).toEqual([]);
  expect(stay({ host: "elsewhere" })).toEqual([]);
  expect(listKeptSecrets(guarded, {}, null)).toEqual([]);
});

test("options are called as people write them", () => {
  expect(["url", "private_key", "ca", "tls_name", "user"].map(formatOptionTitle)).toEqual([
    "URL",
    "Private key",
    "CA",
    "TLS name",
    "User",
  ]);
});
