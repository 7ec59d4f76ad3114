import { expect, test } from "vitest";
import { readPublicSecret } from "./publicLink";

test("the secret of a public link is the fragment of its page, and of no other page", () => {
  expect(readPublicSecret({ pathname: "/public/", hash: "#s3cret" })).toBe("s3cret");
  expect(readPublicSecret({ pathname: "/public/", hash: "" })).toBe("");
  expect(readPublicSecret({ pathname: "/dashboards/1/", hash: "#s3cret" })).toBeNull();
  expect(readPublicSecret(null)).toBeNull();
});
