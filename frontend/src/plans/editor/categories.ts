import type { Category } from "../../core/api/types";

export const CATEGORIES: Readonly<Record<Category, string>> = {
  stream: "From a stream",
  timelines: "From timelines",
  keys: "Across keys",
};
