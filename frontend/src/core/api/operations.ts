/** How the product runs, and what it stores. */
import { call } from "./client";
import type { Wire } from "./wire";

export type Operations = Wire<"Operations">;
export type OperatedQuery = Operations["queries"][number];
export type Storage = Wire<"Storage">;
export type Stored = Wire<"Stored">;

export const operationsApi = {
  operations: () => call<Operations>("GET", "/api/operations/"),
  storage: () => call<Storage>("GET", "/api/storage/"),
};
