import { useState } from "react";
import type { Category, Operator } from "../api/types";
import { CATEGORIES } from "./categories";
import { DRAGGED_OPERATOR } from "./dropping";
import { addNode } from "./edits";
import { lay } from "./overlay";
import { centred } from "./panels";
import { here, onGrid } from "./view";
import { useStudio } from "./store";

function matches(operator: Operator, search: string): boolean {
  const text = `${operator.name} ${operator.title} ${operator.summary}`.toLowerCase();
  return search
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}

function Item({ operator }: { operator: Operator }) {
  const addInTheMiddle = () => addNode(operator.name, onGrid(centred(here().at, operator.name)));
  return (
    <li>
      <button
        type="button"
        className="palette-item"
        draggable
        data-testid={`palette-${operator.name}`}
        title={operator.summary}
        onClick={addInTheMiddle}
        onDragStart={(event) => {
          event.dataTransfer.setData(DRAGGED_OPERATOR, operator.name);
          event.dataTransfer.effectAllowed = "copy";
          lay({ carried: operator.name });
        }}
        onDragEnd={() => lay({ carried: null, aimed: null })}
      >
        <span className={`swatch kind-${operator.output}`} aria-hidden="true" />
        {operator.title}
      </button>
    </li>
  );
}

export function Palette() {
  const operators = useStudio((state) => state.operators);
  const [search, setSearch] = useState("");
  const found = [...operators.values()].filter((operator) => matches(operator, search));
  return (
    <nav className="palette" aria-label="Operators">
      <input
        type="search"
        placeholder="Search operators"
        aria-label="Search operators"
        value={search}
        onChange={(event) => setSearch(event.target.value)}
      />
      {(Object.keys(CATEGORIES) as Category[]).map((category) => {
        const members = found.filter((operator) => operator.category === category);
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
      })}
      {found.length === 0 && operators.size > 0 && <p className="faint">No operator matches.</p>}
    </nav>
  );
}
