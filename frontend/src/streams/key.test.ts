import { describe, expect, it } from "vitest";
import { fieldsOfKey, keyOfFields, withFirst } from "./key";

describe("a key of several fields", () => {
  it.each([["card"], ['["machine","card"]'], ['["a,b","c\\"d"]'], [""]])("%s is split and joined", (key) => {
    expect(keyOfFields(fieldsOfKey(key))).toBe(key);
  });

  it("names each field once, and is that of one field where no other is left", () => {
    expect(keyOfFields(["a", "b", "a", " "])).toBe('["a","b"]');
    expect(keyOfFields(["a", ""])).toBe("a");
  });

  it("keeps its other fields while the first one is written", () => {
    expect(withFirst('["a","b"]', "")).toBe('["","b"]');
    expect(withFirst('["","b"]', "c")).toBe('["c","b"]');
    expect(withFirst("a", "")).toBe("");
  });

  it.each([["[x"], ['["a"]'], ["[1,2]"]])("%s is the name of one field", (key) => {
    expect(fieldsOfKey(key)).toEqual([key]);
  });
});
