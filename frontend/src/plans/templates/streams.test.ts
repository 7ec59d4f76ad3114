import { afterEach, describe, expect, it, vi } from "vitest";
import { ApiError } from "../../core/api/client";
import { streamApi } from "../../core/api/streams";
import type { PlanDocument, Stream, StreamDeclaration } from "../../core/api/types";
import { declareStreams, isDeclaredSo, renameStreams, type Declarations } from "./streams";

const DECLARED = { key: "card", time: "at", unit: "iso8601", id: "id", fields: { country: "text" } };
const WANTED = { payment: DECLARED } as unknown as Declarations;
const streamOf = (change: object = {}) => ({ ...DECLARED, name: "payment", ...change }) as unknown as Stream;
const mapOf = (...streams: Stream[]) => new Map(streams.map((stream) => [stream.name, stream]));

function takeNames(...taken: string[]): string[] {
  const declared: string[] = [];
  vi.spyOn(streamApi, "declare").mockImplementation((declaration: StreamDeclaration) => {
    if (taken.includes(declaration.name)) return Promise.reject(new ApiError(409, "exists", "taken", []));
    declared.push(declaration.name);
    return Promise.resolve(streamOf({ name: declaration.name }));
  });
  return declared;
}

afterEach(() => vi.restoreAllMocks());

describe("the streams of a template", () => {
  it("are declared under their names where these are free", async () => {
    const declared = takeNames();
    expect(await declareStreams(WANTED, mapOf())).toEqual({ payment: "payment" });
    expect(declared).toEqual(["payment"]);
  });

  it("are used where they are declared so already, with more fields or not", async () => {
    const declared = takeNames();
    const there = streamOf({ fields: { country: "text", amount: "number" } });
    expect(await declareStreams(WANTED, mapOf(there))).toEqual({ payment: "payment" });
    expect(declared).toEqual([]);
  });

  it("have another name where theirs is taken by another declaration, or by a stream that is not shown", async () => {
    const declared = takeNames("payment_2");
    const other = streamOf({ key: "account" });
    expect(await declareStreams(WANTED, mapOf(other))).toEqual({ payment: "payment_3" });
    expect(declared).toEqual(["payment_3"]);
  });

  it("are not declared where the server refuses for another reason", async () => {
    vi.spyOn(streamApi, "declare").mockRejectedValue(new ApiError(403, "no_role", "not you", []));
    await expect(declareStreams(WANTED, mapOf())).rejects.toThrow("not you");
  });

  it("are the same only with the same key, time, unit, id and types", () => {
    const declaration = WANTED["payment"] as Declarations[string];
    expect(isDeclaredSo(streamOf(), declaration)).toBe(true);
    for (const change of [{ time: "t" }, { unit: "ms" }, { id: "" }, { fields: { country: "number" } }])
      expect(isDeclaredSo(streamOf(change), declaration)).toBe(false);
  });
});

describe("a document", () => {
  it("reads the streams by their other names: in nodes, in steps, and in what breaks them", () => {
    const document = {
      version: 1,
      name: "",
      nodes: {
        count: { op: "event_count", stream: "payment", params: { where: 'country == "DK"' } },
        way: {
          op: "sequence",
          params: { steps: [{ name: "a", stream: "payment" }], not: [{ stream: "login" }], within: "1h" },
        },
      },
    } as unknown as PlanDocument;
    const { count, way } = renameStreams(document, { payment: "payment_2" }).nodes;
    expect(count?.stream).toBe("payment_2");
    expect(count?.params).toEqual({ where: 'country == "DK"' });
    expect(way?.params).toEqual({
      steps: [{ name: "a", stream: "payment_2" }],
      not: [{ stream: "login" }],
      within: "1h",
    });
  });
});
