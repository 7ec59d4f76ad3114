import { expect, test } from "vitest";
import { cutForGuess, suggestName, refusesSample } from "./sample";

const sample = (text: string) => ({ file: "", body: new Blob([text]) });
const line = `{"a": "${"x".repeat(1000)}"}\n`;

test("a name for the stream is made of the file's", () => {
  expect(suggestName("Player events (1).jsonl")).toBe("player_events_1");
  expect(suggestName("2024-07.csv")).toBe("stream_2024_07");
  expect(suggestName("")).toBe("");
});

test("what is empty or too large is refused before it is sent", () => {
  expect(refusesSample(sample(""))).toBe("It is empty.");
  expect(refusesSample(sample("x"))).toBeNull();
  expect(refusesSample(sample(line.repeat(9000)))).toContain("at most 8");
});

test("of many lines whole ones are sent to guess from, of an array all", async () => {
  const lines = new Blob([line.repeat(2000)]);
  const cut = await (await cutForGuess(lines)).text();
  expect(cut.length).toBeLessThan(2 ** 20);
  expect(JSON.parse(cut.split("\n").at(-1) ?? "")).toHaveProperty("a");
  const array = new Blob([` [${Array(2000).fill(line).join(",")}]`]);
  expect(await cutForGuess(array)).toBe(array);
  const small = new Blob([line]);
  expect(await cutForGuess(small)).toBe(small);
});
