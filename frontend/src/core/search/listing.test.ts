import { describe, expect, it } from "vitest";
import type { ListPage } from "../api/client";
import { Listing } from "./listing";

const page = (results: string[], next: string | null = null): ListPage<string> => ({
  results,
  next,
  previous: null,
});

/** A server whose pages are these; each is answered when it is let. */
function served(pages: Record<string, ListPage<string> | Error>) {
  const asked: string[] = [];
  const waiting: (() => void)[] = [];
  const listing = new Listing<string>((address) => {
    asked.push(address);
    return new Promise((answer, fail) => {
      waiting.push(() => {
        const found = pages[address] ?? page([]);
        if (found instanceof Error) fail(found);
        else answer(found);
      });
    });
  });
  const answer = async () => {
    for (const one of waiting.splice(0)) one();
    await new Promise((done) => setTimeout(done));
  };
  return { listing, asked, answer, pages };
}

describe("a list in pages", () => {
  it("has its first page, and more of it", async () => {
    const { listing, answer } = served({ "/a": page(["1", "2"], "/a2"), "/a2": page(["3"]) });
    listing.open("/a");
    await answer();
    expect(listing.state).toMatchObject({ rows: ["1", "2"], next: "/a2", busy: false });
    listing.more();
    listing.more();
    await answer();
    expect(listing.state).toMatchObject({ rows: ["1", "2", "3"], next: null });
  });

  it("shows what is asked last, whatever comes when", async () => {
    const { listing, answer, asked } = served({ "/a": page(["1"]), "/b": page(["2"]) });
    listing.open("/a");
    listing.open("/b");
    await answer();
    expect(asked).toEqual(["/a", "/b"]);
    expect(listing.state).toMatchObject({ address: "/b", rows: ["2"] });
  });

  it("keeps what is shown while something else is asked, and when that fails", async () => {
    const { listing, answer } = served({ "/a": page(["1"]), "/b": new Error("no") });
    listing.open("/a");
    await answer();
    listing.open("/b");
    expect(listing.state).toMatchObject({ rows: ["1"], busy: true });
    await answer();
    expect(listing.state).toMatchObject({ rows: ["1"], error: new Error("no"), busy: false });
  });

  it("is looked at anew as far as it is shown", async () => {
    const { listing, answer, asked, pages } = served({
      "/a": page(["1", "2"], "/a2"),
      "/a2": page(["3", "4"], "/a3"),
    });
    listing.open("/a");
    await answer();
    listing.more();
    await answer();
    pages["/a"] = page(["0", "1"], "/a2");
    listing.again();
    await answer();
    await answer();
    expect(listing.state).toMatchObject({ rows: ["0", "1", "3", "4"], next: "/a3" });
    expect(asked).toEqual(["/a", "/a2", "/a", "/a2"]);
  });

  it("is not looked at anew while it is asked, nor before", () => {
    const { listing, asked } = served({});
    listing.again();
    listing.open("/a");
    listing.again();
    expect(asked).toEqual(["/a"]);
  });
});
