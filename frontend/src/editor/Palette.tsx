import { useState, type KeyboardEvent } from "react";
import type { Category, Operator } from "../api/types";
import { CATEGORIES } from "./categories";
import { DRAGGED_OPERATOR } from "./dropping";
import { addNode } from "./edits";
import { lay } from "./overlay";
import { spotFor } from "./panels";
import { matchesSearch } from "./searching";
import { get, useStudio } from "./store";
import { focusNode, here, reveal } from "./view";

const CATEGORY_NAMES = Object.keys(CATEGORIES) as Category[];

/** Add one in the middle; it has the keyboard then. */
function add(operator: Operator): void {
  addNode(operator.name, spotFor(here().at, operator.name));
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
          lay({ carried: operator.name });
        }}
        onDragEnd={() => lay({ carried: null, aimed: null })}
      >
        <span className={`swatch kind-${operator.output}`} aria-hidden="true" />
        {operator.title}
        {operator.by_arrival && (
          <span className="by-arrival" title="Judged by when events arrived, not by when they happened">
            by arrival
          </span>
        )}
      </button>
    </li>
  );
}

export function Palette() {
  const operators = useStudio((state) => state.operators);
  const [search, setSearch] = useState("");
  const found = [...operators.values()].filter((operator) => matchesSearch(operator, search));
  const shown = CATEGORY_NAMES.map((category) => ({
    category,
    members: found.filter((operator) => operator.category === category),
  }));
  const [first] = shown.flatMap(({ members }) => members);
  return (
    <nav className="palette" aria-label="Operators" onKeyDown={onArrow}>
      <input
        type="search"
        placeholder="Search operators"
        aria-label="Search operators"
        value={search}
        onChange={(event) => setSearch(event.target.value)}
        onKeyDown={(event) => {
          if (event.key !== "Enter" || search.trim() === "" || !first) return;
          event.preventDefault();
          add(first);
        }}
      />
      {shown.map(({ category, members }) =>
        members.length === 0 ? null : (
          <section key={category}>
            <h2>{CATEGORIES[category]}</h2>
            <ul>
              {members.map((operator) => (
                <Item key={operator.name} operator={operator} />
              ))}
            </ul>
          </section>
        ),
      )}
      {found.length === 0 && operators.size > 0 && <p className="faint">No operator matches.</p>}
    </nav>
  );
}
