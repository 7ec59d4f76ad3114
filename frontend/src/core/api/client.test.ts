import { expect, test } from "vitest";
import {
  ApiError,
  readCookie,
  buildApiError,
  describeError,
  isTransient,
  loginAddress,
  isNotLoggedIn,
} from "./client";

test("the login leads back to where one was", () => {
  expect(loginAddress("/plans/3/?key=s1")).toBe("/login/?next=%2Fplans%2F3%2F%3Fkey%3Ds1");
});

test("a cookie is found by its name", () => {
  expect(readCookie("csrftoken", "a=1; csrftoken=x%3D; b=2")).toBe("x=");
  expect(readCookie("none", "a=1")).toBe("");
});

test("not logged in is told from not allowed", () => {
  expect(isNotLoggedIn(buildApiError(401, {}))).toBe(true);
  expect(isNotLoggedIn(buildApiError(403, { code: "not_authenticated" }))).toBe(true);
  expect(isNotLoggedIn(buildApiError(403, { code: "not_yours" }))).toBe(false);
});

test("what may pass by itself is told from what is refused", () => {
  const passing = (status: number): boolean => isTransient(buildApiError(status, null));
  expect([0, 429, 500, 502, 503, 504].filter((status) => !passing(status))).toEqual([]);
  expect([400, 401, 403, 404, 409, 422].filter(passing)).toEqual([]);
  expect(isTransient(new Error("It could not be saved."))).toBe(false);
});

test("refusals are told in words, with their places", () => {
  const problem = {
    node: "cirr",
    port: "of",
    code: "x",
    message: "Nothing is wired.",
    hint: "",
    severity: "error" as const,
  };
  expect(describeError(new ApiError(422, "plan_refused", "The plan cannot run.", [problem]))).toBe(
    "The plan cannot run. · cirr: Nothing is wired.",
  );
  expect(describeError(new ApiError(400, "invalid", "cirr: Nothing is wired.", [problem]))).toBe(
    "cirr: Nothing is wired.",
  );
  expect(describeError(buildApiError(502, null))).toBe("The server answered 502: it failed.");
});
