import { useState, type KeyboardEvent } from "react";
import type { Category, Operator } from "../../core/api/types";
import { addRecipe } from "../../plans/recipes/add";
import { findRecipe, RECIPES, type Recipe } from "../../plans/recipes/recipes";
import { CATEGORIES } from "../../plans/editor/categories";
import { DRAGGED_OPERATOR } from "../../plans/editor/dropping";
import { addNode } from "../../plans/editor/edits";
import { setOverlay } from "../../plans/editor/overlay";
import { spotFor } from "../../plans/editor/panels";
import { findOperator } from "../../plans/editor/findOperator";
import { selectLooseMatches, type Findable } from "../../plans/editor/rankMatches";
import { get, useStudio } from "../../plans/editor/store";
import { focusNode, findInsertionPoint, reveal } from "../../plans/editor/view";

const CATEGORY_NAMES = Object.keys(CATEGORIES) as Category[];

/** Add one in the middle; it has the keyboard then. */
function add(operator: Operator): void {
  addNode(operator.name, spotFor(findInsertionPoint().at, operator.name));
  const [name] = get().selected;
  if (name === undefined) return;
  reveal(name);
  focusNode(name);
}

const STEPS: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1 };

/** Up and down go through the operators, from the search field on. */
function onArrow(event: KeyboardEvent<HTMLElement>): void {
  const step = STEPS[event.key];
  if (step === undefined) return;
  event.preventDefault();
  const all = [...event.currentTarget.querySelectorAll<HTMLElement>("input, .palette-item")];
  const at = all.indexOf(document.activeElement as HTMLElement);
  all[Math.max(0, Math.min(all.length - 1, at + step))]?.focus();
}

function Item({ operator }: { operator: Operator }) {
  return (
    <li>
      <button
        type="button"
        className="palette-item"
        draggable
        data-testid={`palette-${operator.name}`}
        title={operator.summary}
        onClick={() => add(operator)}
        onDragStart={(event) => {
          event.dataTransfer.setData(DRAGGED_OPERATOR, operator.name);
          event.dataTransfer.effectAllowed = "copy";
          setOverlay({ carried: operator.name });
        }}
        onDragEnd={() => setOverlay({ carried: null, aimed: null })}
      >
        <span className={`swatch kind-${operator.output}`} aria-hidden="true" />
        {operator.title}
        {operator.by_arrival && (
          <span className="by-arrival" title="Uses the time when events arrived, not when they happened">
            uses arrival time
          </span>
        )}
      </button>
    </li>
  );
}

function RecipeItem({ recipe }: { recipe: Recipe }) {
  return (
    <li>
      <button
        type="button"
        className="palette-item recipe"
        title={`${recipe.summary}\n\n${recipe.plan.join("\n")}`}
        onClick={() => void addRecipe(recipe)}
      >
        {recipe.title}
      </button>
    </li>
  );
}

function Recipes({ recipes }: { recipes: readonly Recipe[] }) {
  return (
    <section data-testid="recipes">
      <h2>Recipes</h2>
      <ul>
        {recipes.map((recipe) => (
          <RecipeItem key={recipe.title} recipe={recipe} />
        ))}
      </ul>
    </section>
  );
}

type PaletteMatch = Findable & ({ operator: Operator } | { recipe: Recipe });

function Answers({ found }: { found: readonly PaletteMatch[] }) {
  const operators = found.flatMap((one) => ("operator" in one ? [one.operator] : []));
  const recipes = found.flatMap((one) => ("recipe" in one ? [one.recipe] : []));
  if (found.length === 0)
    return (
      <p className="faint" role="status">
        No operator or recipe matches. Try another word, such as “average” or “last hour”.
      </p>
    );
  return (
    <>
      <ul>
        {operators.map((operator) => (
          <Item key={operator.name} operator={operator} />
        ))}
      </ul>
      {recipes.length > 0 && <Recipes recipes={recipes} />}
    </>
  );
}

function Categories({ operators }: { operators: readonly Operator[] }) {
  return CATEGORY_NAMES.map((category) => {
    const members = operators.filter((operator) => operator.category === category);
    return members.length === 0 ? null : (
      <section key={category}>
        <h2>{CATEGORIES[category]}</h2>
        <ul>
          {members.map((operator) => (
            <Item key={operator.name} operator={operator} />
          ))}
        </ul>
      </section>
    );
  });
}

/** Add what stands first. */
function addFirst(found: readonly PaletteMatch[]): void {
  const first = found.find((one) => "operator" in one) ?? found[0];
  if (!first) return;
  if ("operator" in first) add(first.operator);
  else void addRecipe(first.recipe);
}

export function Palette() {
  const operators = useStudio((state) => state.operators);
  const [search, setSearch] = useState("");
  const isSearching = search.trim() !== "";
  const all: PaletteMatch[] = [...[...operators.values()].map(findOperator), ...RECIPES.map(findRecipe)];
  const found = isSearching ? selectLooseMatches(all, search) : [];
  return (
    <nav className="palette" aria-label="Operators" onKeyDown={onArrow}>
      <input
        type="search"
        placeholder="Search operators"
        aria-label="Search operators"
        value={search}
        onChange={(event) => setSearch(event.target.value)}
        onKeyDown={(event) => {
          if (event.key !== "Enter" || !isSearching) return;
          event.preventDefault();
          addFirst(found);
        }}
      />
      {isSearching ? (
        <Answers found={found} />
      ) : (
        <>
          <Categories operators={[...operators.values()]} />
          {operators.size > 0 && <Recipes recipes={RECIPES} />}
        </>
      )}
    </nav>
  );
}
