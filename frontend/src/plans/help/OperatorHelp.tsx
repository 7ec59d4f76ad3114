import { useEffect, useMemo, useRef, useState } from "react";
import type { InputPort, Operator, Parameter } from "../../core/api/types";
import { useStudio } from "../editor/store";
import { useBeside } from "../editor/useBeside";
import { reveal } from "../editor/view";
import { Dialog } from "../../core/ui/Dialog";
import { closeOtherExplanations } from "../editor/explanations";
import { ByArrival } from "./ByArrival";
import { describeRequirement } from "../../core/graph/required";
import { closeHelp, useHelp } from "./store";

function needs(operator: Operator): [name: string, words: string][] {
  const how = describeRequirement(operator, { name: "stream", required: operator.needs_stream });
  const words = `whose events it reads${how === "" ? "" : `, ${how}`}`;
  const stream: [string, string][] = operator.takes_stream ? [["Stream", words]] : [];
  const needed = (one: InputPort | Parameter): string => {
    const words = describeRequirement(operator, one);
    return words === "" ? "" : `, ${words}`;
  };
  const inputs = operator.inputs.map((input): [string, string] => {
    const { title, kinds, many, minimum, help } = input;
    const several = many ? `, ${minimum > 1 ? "two" : "one"} or more` : "";
    const taken = `${kinds.join(" or ")}${several}${needed(input)}`;
    return [title, help ? `${taken}: ${help}` : taken];
  });
  const parameters = operator.parameters.map((parameter): [string, string] => {
    const such =
      parameter.placeholder === "" ? parameter.type : `${parameter.type}, such as ${parameter.placeholder}`;
    const taken = parameter.choices.length > 0 ? parameter.choices.join(", ") : such;
    const said = `${taken}${needed(parameter)}`;
    return [parameter.title, parameter.help ? `${said}: ${parameter.help}` : said];
  });
  return [...stream, ...inputs, ...parameters];
}

function Example({ operator }: { operator: Operator }) {
  const { plan, events } = operator.example;
  const [large, setLarge] = useState(false);
  const picture = (
    <img
      src={`/static/operators/${operator.name}.svg`}
      alt="The events, the inputs and the result of the example on one axis of time"
    />
  );
  return (
    <>
      <h3>Example</h3>
      {operator.source === "" && (
        <button type="button" className="picture" title="Enlarge" onClick={() => setLarge(true)}>
          {picture}
        </button>
      )}
      {large && (
        <Dialog title={`${operator.title}: the example`} close={() => setLarge(false)}>
          <div className="picture-large">{picture}</div>
          <button type="button" onClick={() => setLarge(false)}>
            Close
          </button>
        </Dialog>
      )}
      <pre className="code">{plan}</pre>
      <p className="faint">
        The events, with their seconds: <span className="code">{events.join(" · ")}</span>
      </p>
    </>
  );
}

/** Escape closes it, and the focus goes back to where it was. */
function useFocusWhileOpen(name: string) {
  const panel = useRef<HTMLElement>(null);
  useEffect(() => {
    const before = document.activeElement;
    return () => {
      if (before instanceof HTMLElement) before.focus();
    };
  }, []);
  useEffect(() => panel.current?.focus(), [name]);
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key === "Escape" && document.querySelector("dialog[open]") === null) closeHelp();
    };
    window.addEventListener("keydown", onKey);
    return () => window.removeEventListener("keydown", onKey);
  }, []);
  return panel;
}

function Panel({ operator }: { operator: Operator }) {
  const panel = useFocusWhileOpen(operator.name);
  return (
    <aside
      ref={panel}
      className="why-panel operator-help"
      aria-label={`Help: ${operator.title}`}
      tabIndex={-1}
      data-testid="operator-help"
    >
      <header className="row">
        <h2>{operator.title}</h2>
        <span className="code faint">{operator.name}</span>
        <span className="spacer" />
        <button type="button" className="quiet" aria-label="Close" onClick={closeHelp}>
          ×
        </button>
      </header>
      <p>{operator.summary}</p>
      <ByArrival operator={operator} />
      {operator.description.split(/\n\n+/).map((paragraph) => (
        <p key={paragraph}>{paragraph}</p>
      ))}
      <dl className="declaration">
        {needs(operator).map(([name, words]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{words}</dd>
          </div>
        ))}
        <div>
          <dt>Gives</dt>
          <dd>
            {operator.output === "any" ? "the kind of what it reads" : operator.output}
            {operator.keeps_kind.length > 0 &&
              `; with ${operator.keeps_kind.join(", ")} the kind of ${operator.needs_stream ? "the field" : "“of”"}`}
          </dd>
        </div>
      </dl>
      <Example operator={operator} />
      {operator.source !== "" && (
        <p className="faint">
          A custom operator of {operator.source} <span className="code">({operator.version})</span>
        </p>
      )}
    </aside>
  );
}

/** What the operator that is looked up means; it follows the node that is selected. */
export function OperatorHelp() {
  const operators = useStudio((state) => state.operators);
  const node = useStudio(({ selected }) => (selected.length === 1 ? (selected[0] ?? null) : null));
  const selected = useStudio(({ history }) => history.present.nodes[node ?? ""]?.op);
  const name = useHelp((state) => state.operator);
  const operator = operators.get(name ?? "");
  useEffect(() => {
    if (name !== null && selected !== undefined && selected !== name)
      useHelp.setState({ operator: selected });
    // Only a selection that changes takes the help along.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [selected]);
  useEffect(() => closeHelp, []);
  const open = operator !== undefined;
  useEffect(() => {
    if (open) closeOtherExplanations(closeHelp);
  }, [open, node]);
  // What the help is about is still seen.
  useBeside(useMemo(() => (open && node !== null ? () => reveal(node) : null), [open, node]));
  return operator ? <Panel operator={operator} /> : null;
}
