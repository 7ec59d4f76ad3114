import { Command as Menu } from "cmdk";
import { useEffect, useMemo, useRef, type ReactNode } from "react";
import type { Operator } from "../api/types";
import { fitting, spotInWords } from "../graph/insert";
import { CATEGORIES } from "./categories";
import { addComment } from "./drawn";
import { addNode, connect } from "./edits";
import { lay, useOverlay, type QuickAdd as Quick } from "./overlay";
import { centred } from "./panels";
import { documentOf, get, useStudio } from "./store";
import { focusNode, onGrid } from "./view";
import { wireTargets } from "./wireTargets";

const WIDTH = 320;
const HEIGHT = 360;
const close = () => lay({ quick: null, wiring: null });

/** How well an item answers what is typed: by its title, by its name, or by all words somewhere in its summary. */
function rank(value: string, search: string, keywords: string[] = []): number {
  const [title = value, ...others] = keywords.map((one) => one.toLowerCase());
  const wanted = search.trim().toLowerCase();
  if (title.startsWith(wanted)) return 1;
  if (title.includes(wanted)) return 0.9;
  if (value.toLowerCase().includes(wanted)) return 0.8;
  const text = [title, value.toLowerCase(), ...others].join(" ");
  return wanted.split(/\s+/).every((word) => text.includes(word)) ? 0.3 : 0;
}

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
  useEffect(() => {
    const before = window.document.activeElement;
    return () => {
      if (window.document.activeElement === window.document.body && before instanceof HTMLElement)
        before.focus({ preventScroll: true });
    };
  }, []);
  return (
    <div
      ref={popup}
      className="quick-add"
      data-testid="quick-add"
      style={{ left, top, width: WIDTH, maxHeight: HEIGHT }}
      onBlur={(event) => !popup.current?.contains(event.relatedTarget) && close()}
    >
      <Menu label={label} loop filter={rank}>
        <p className="quick-title">{label}</p>
        {children}
      </Menu>
    </div>
  );
}

function Item({ operator, choose }: { operator: Operator; choose: () => void }) {
  return (
    <Menu.Item value={operator.name} keywords={[operator.title, operator.summary]} onSelect={choose}>
      <span className={`swatch kind-${operator.output}`} aria-hidden="true" />
      <span className="quick-name">{operator.title}</span>
      <span className="faint quick-summary">{operator.summary}</span>
    </Menu.Item>
  );
}

function Operators({ quick }: { quick: Quick }) {
  const document = useStudio(documentOf);
  const found = useMemo(() => fitting(document, quick.spot, get()), [document, quick.spot]);
  const choose = (operator: Operator) => {
    close();
    const at = quick.spot === null || "to" in quick.spot ? centred(quick.at, operator.name) : quick.at;
    addNode(operator.name, onGrid(at), quick.spot);
    const [name] = get().selected;
    if (name !== undefined) focusNode(name);
  };
  return (
    <>
      {Object.entries(CATEGORIES).map(([category, title]) => {
        const members = found.filter((operator) => operator.category === category);
        return members.length === 0 ? null : (
          <Menu.Group key={category} heading={title}>
            {members.map((operator) => (
              <Item key={operator.name} operator={operator} choose={() => choose(operator)} />
            ))}
          </Menu.Group>
        );
      })}
      {quick.spot === null && (
        <Menu.Group heading="Beside the nodes">
          <Menu.Item
            value="comment note text"
            onSelect={() => {
              close();
              addComment(quick.at);
            }}
          >
            <span className="swatch" aria-hidden="true" />
            <span className="quick-name">Comment</span>
          </Menu.Item>
        </Menu.Group>
      )}
    </>
  );
}

function Adding({ quick }: { quick: Quick }) {
  const words = spotInWords(documentOf(get()), quick.spot, get());
  return (
    <Popup at={quick.screen} label={words}>
      <Menu.Input placeholder="Operator" autoFocus />
      <Menu.List>
        <Menu.Empty>No operator of that name fits here.</Menu.Empty>
        <Operators quick={quick} />
      </Menu.List>
    </Popup>
  );
}

/** Wiring by keyboard: every port there is; those that refuse say why. */
function Wiring({ name }: { name: string }) {
  const state = useStudio();
  const targets = useMemo(() => wireTargets(documentOf(state), name, state), [state, name]);
  const element = window.document.querySelector(`[data-testid="out-${CSS.escape(name)}"]`);
  const box = element?.getBoundingClientRect();
  const at = box ? { x: box.right + 16, y: box.top } : { x: window.innerWidth / 2, y: 200 };
  return (
    <Popup at={at} label={`Wire ${name} to`}>
      <Menu.Input placeholder="Node and port" autoFocus />
      <Menu.List>
        <Menu.Empty>No port is called so.</Menu.Empty>
        {targets.map(({ wire, title, refusal, instead }) => (
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
            <span className="quick-name">
              {wire.to} · {title}
            </span>
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
