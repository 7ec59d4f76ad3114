import { Command as Menu } from "cmdk";
import { useEffect, useMemo, useRef, useState, type ReactNode } from "react";
import type { Operator } from "../../core/api/types";
import { findOperator } from "./findOperator";
import type { Position } from "../../core/graph/position";
import { selectFittingOperators, describeSpot } from "../../core/graph/insert";
import { CATEGORIES } from "./categories";
import { addComment } from "./selectionActions";
import { addNode, connect } from "./edits";
import { setOverlay, useOverlay, type QuickAdd as Quick } from "./overlay";
import { centreAt, spotBeside, spotFor, spotForComment } from "./panels";
import { documentOf, get, useStudio } from "./store";
import { focusNode, onGrid, reveal } from "./view";
import { rankMatch, selectMatches, selectLooseMatches } from "./rankMatches";
import { wireTargets } from "./wireTargets";

const WIDTH = 320;
const HEIGHT = 360;
const close = () => setOverlay({ quick: null, wiring: null });

/** A small menu over the canvas; it closes when it loses the keyboard. */
function Popup({
  at,
  label,
  children,
}: {
  at: { x: number; y: number };
  label: string;
  children: ReactNode;
}) {
  const popup = useRef<HTMLDivElement>(null);
  const left = Math.max(8, Math.min(at.x, window.innerWidth - WIDTH - 8));
  const top = Math.max(8, Math.min(at.y, window.innerHeight - HEIGHT - 8));
  // Looked up before its field takes the keyboard.
  const [before] = useState(() => window.document.activeElement);
  useEffect(
    () => () => {
      if (window.document.activeElement === window.document.body && before instanceof HTMLElement)
        before.focus({ preventScroll: true });
    },
    [before],
  );
  return (
    <div
      ref={popup}
      className="quick-add"
      data-testid="quick-add"
      style={{ left, top, width: WIDTH, maxHeight: HEIGHT }}
      onBlur={(event) => !popup.current?.contains(event.relatedTarget) && close()}
    >
      <Menu label={label} loop shouldFilter={false}>
        <p className="quick-title">{label}</p>
        {children}
      </Menu>
    </div>
  );
}

function Item({ operator, choose }: { operator: Operator; choose: () => void }) {
  return (
    <Menu.Item value={operator.name} onSelect={choose}>
      <span className={`swatch kind-${operator.output}`} aria-hidden="true" />
      <span className="quick-name">{operator.title}</span>
      <span className="faint quick-summary">{operator.summary}</span>
    </Menu.Item>
  );
}

function placeFor({ spot, at }: Quick, operator: string): Position {
  if (spot === null) return spotFor(at, operator);
  if ("from" in spot && "to" in spot) return onGrid(centreAt(at, operator));
  return onGrid(spotBeside("to" in spot ? centreAt(at, operator) : at, operator));
}

function Operators({ quick, search }: { quick: Quick; search: string }) {
  const document = useStudio(documentOf);
  const found = useMemo(() => selectFittingOperators(document, quick.spot, get()), [document, quick.spot]);
  const choose = (operator: Operator) => {
    close();
    addNode(operator.name, placeFor(quick, operator.name), quick.spot);
    const [name] = get().selected;
    if (name === undefined) return;
    reveal(name);
    focusNode(name);
  };
  const item = (operator: Operator) => (
    <Item key={operator.name} operator={operator} choose={() => choose(operator)} />
  );
  if (search.trim() !== "")
    return selectLooseMatches(found.map(findOperator), search).map(({ operator }) => item(operator));
  return Object.entries(CATEGORIES).map(([category, title]) => {
    const members = found.filter((operator) => operator.category === category);
    return members.length === 0 ? null : (
      <Menu.Group key={category} heading={title}>
        {members.map(item)}
      </Menu.Group>
    );
  });
}

const COMMENT = { title: "Comment", words: ["note", "text"] };

function CommentItem({ at }: { at: Position }) {
  return (
    <Menu.Item
      value="comment note text"
      onSelect={() => {
        close();
        addComment(spotForComment(at));
      }}
    >
      <span className="swatch" aria-hidden="true" />
      <span className="quick-name">Comment</span>
    </Menu.Item>
  );
}

function Adding({ quick }: { quick: Quick }) {
  const words = describeSpot(documentOf(get()), quick.spot, get());
  const [search, setSearch] = useState("");
  const isComment = quick.spot === null && (search.trim() === "" || rankMatch(COMMENT, search) > 0);
  return (
    <Popup at={quick.screen} label={words}>
      <Menu.Input placeholder="Operator" autoFocus value={search} onValueChange={setSearch} />
      <Menu.List>
        <Menu.Empty>No matching operator fits here.</Menu.Empty>
        <Operators quick={quick} search={search} />
        {isComment && <CommentItem at={quick.at} />}
      </Menu.List>
    </Popup>
  );
}

/** Wiring by keyboard: every port there is; those that refuse say why. */
function Wiring({ name }: { name: string }) {
  const state = useStudio();
  const [search, setSearch] = useState("");
  const targets = useMemo(
    () =>
      wireTargets(documentOf(state), name, state).map((target) => ({ ...target, words: [target.wire.to] })),
    [state, name],
  );
  const shown = search.trim() === "" ? targets : selectMatches(targets, search);
  const element = window.document.querySelector(`[data-testid="out-${CSS.escape(name)}"]`);
  const box = element?.getBoundingClientRect();
  const at = box ? { x: box.right + 16, y: box.top } : { x: window.innerWidth / 2, y: 200 };
  return (
    <Popup at={at} label={`Wire ${name} to`}>
      <Menu.Input placeholder="Node and port" autoFocus value={search} onValueChange={setSearch} />
      <Menu.List>
        <Menu.Empty>No matching port.</Menu.Empty>
        {shown.map(({ wire, title, refusal, instead }) => (
          <Menu.Item
            key={`${wire.to}.${wire.port}`}
            value={`${wire.to} ${wire.port}`}
            disabled={refusal !== null}
            onSelect={() => {
              close();
              connect(wire);
              focusNode(name);
            }}
          >
            <span className="quick-name">{title}</span>
            <span className="faint quick-summary">{refusal ?? instead}</span>
          </Menu.Item>
        ))}
      </Menu.List>
    </Popup>
  );
}

export function QuickAdd() {
  const quick = useOverlay((overlay) => overlay.quick);
  const wiring = useOverlay((overlay) => overlay.wiring);
  if (quick) return <Adding quick={quick} />;
  return wiring === null ? null : <Wiring name={wiring} />;
}
