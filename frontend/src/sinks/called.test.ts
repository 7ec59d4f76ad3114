import { expect, test } from "vitest";
import { calledOf } from "./called";

test("of two sinks of one kind it is told which is meant", () => {
  const sink = { title: "Parquet files", place: "orders/cirr", delivers: "revisions" as const, number: 4 };
  expect(calledOf(sink)).toBe("Parquet files to orders/cirr: every revision");
  expect(calledOf({ ...sink, place: "", delivers: "final" })).toBe("Parquet files, number 4: what is final");
});
