/** Small plans that answer common questions: found in the palette, added with one press. */
import type { Findable } from "../editor/rankMatches";
import held from "./recipes.json";

export interface Recipe {
  title: string;
  summary: string;
  synonyms: string[];
  /** Lines of the text language. */
  plan: string[];
}

export const RECIPES: readonly Recipe[] = held;

export const findRecipe = (recipe: Recipe): Findable & { recipe: Recipe } => ({
  title: recipe.title,
  words: [...recipe.synonyms, recipe.summary],
  recipe,
});
