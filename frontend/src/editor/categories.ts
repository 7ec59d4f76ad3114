import type { Category } from "../api/types";

export const CATEGORIES: Readonly<Record<Category, string>> = {
  stream: "From a stream",
  timelines: "From timelines",
  keys: "Across keys",
};
