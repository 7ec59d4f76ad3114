import { useState } from "react";
import "./looks.css";
import type { Me } from "../core/api/types";
import { colourOf, DARK, LIGHT, Register } from "../timechart/colours";
import { Header } from "../core/shell/Header";
import { Menu } from "../core/ui/Menu";
import { useTitle } from "../core/ui/useTitle";
import { MoreButton, onMenu } from "../core/ui/ContextMenu";
import { rowGroups } from "../core/ui/linkItems";
import { useDark } from "../core/ui/theme";

const GROUNDS = ["--ground", "--surface", "--sunk", "--ink", "--faint", "--rule", "--strong-rule"];
const SIGNALS = ["--accent", "--accent-wash", "--good", "--good-wash", "--bad", "--bad-wash", "--mark"];
const LIGHTS = ["--green", "--amber", "--red", "--grey"];
const KINDS = ["--kind-bool", "--kind-text", "--kind-number", "--kind-any"];
const SPACES = [4, 8, 16, 24, 32];
const SIZES: readonly [name: string, words: string][] = [
  ["--title", "Title, 20 px"],
  ["--large", "Large, 16 px"],
  ["--text", "Text, 13 px"],
  ["--small", "Small, 12 px"],
];
const VALUES = ["ok", "failed", "running", "stopped", "pending", "play", "buffer", "seek", "C", true, false];

function Swatches({ title, names }: { title: string; names: readonly string[] }) {
  return (
    <section className="card">
      <h2>{title}</h2>
      <ul className="looks-swatches">
        {names.map((name) => (
          <li key={name}>
            <span className="looks-swatch" style={{ background: `var(${name})` }} />
            <span className="code">{name}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Values() {
  const theme = useDark() ? DARK : LIGHT;
  const register = new Register(theme.values.length, VALUES);
  return (
    <section className="card">
      <h2>Values of fields</h2>
      <p className="faint">The same value has the same colour in lanes, tiles and tables.</p>
      <ul className="looks-swatches">
        {VALUES.map((value) => (
          <li key={String(value)}>
            <span className="looks-swatch" style={{ background: colourOf(value, theme, register) }} />
            <span className="code">{String(value)}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Type() {
  return (
    <section className="card">
      <h2>Type</h2>
      {SIZES.map(([name, words]) => (
        <p key={name} style={{ fontSize: `var(${name})` }}>
          {words}: 0123456789 Timelines
        </p>
      ))}
      <p className="code">Code: has_existed_within(seek, 5s) 0O 1lI</p>
    </section>
  );
}

function Spacing() {
  return (
    <section className="card">
      <h2>Spacing</h2>
      {SPACES.map((space) => (
        <div key={space} className="row">
          <span className="looks-space" style={{ width: space }} />
          {space} px
        </div>
      ))}
    </section>
  );
}

function Controls() {
  const [pressed, setPressed] = useState(true);
  const menu = { title: "Actions of an example", groups: rowGroups("/looks/", () => undefined) };
  return (
    <section className="card" onContextMenu={onMenu(menu)}>
      <h2>Controls</h2>
      <div className="row">
        <button type="button" className="primary">
          Primary
        </button>
        <button type="button">Secondary</button>
        <button type="button" className="quiet">
          Quiet
        </button>
        <button type="button" className="danger">
          Danger
        </button>
        <button type="button" disabled>
          Disabled
        </button>
        <button type="button" aria-pressed={pressed} onClick={() => setPressed(!pressed)}>
          Pressed
        </button>
        <Menu title="Menu" groups={menu.groups} testid="looks-menu" />
        <MoreButton {...menu} />
      </div>
      <div className="row">
        <input aria-label="Text" placeholder="Text" />
        <input aria-label="Wrong text" aria-invalid="true" defaultValue="10 parsecs" />
        <select aria-label="Choice">
          <option>Choice</option>
        </select>
        <label className="check">
          <input type="checkbox" defaultChecked /> Check
        </label>
      </div>
    </section>
  );
}

/** The design system: what the pages are made of, in the look that is chosen. */
export function LooksPage({ me }: { me: Me | null }) {
  useTitle("Design system");
  return (
    <>
      <Header me={me} here="looks" />
      <main className="page" data-testid="looks">
        <h1>Design system</h1>
        <div className="looks">
          <Type />
          <Spacing />
          <Swatches title="Ground and ink" names={GROUNDS} />
          <Swatches title="Accent and signals" names={SIGNALS} />
          <Swatches title="Status lights" names={LIGHTS} />
          <Swatches title="Kinds of ports" names={KINDS} />
          <Values />
          <Controls />
        </div>
      </main>
    </>
  );
}
