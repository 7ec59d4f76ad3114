import { useId, useState } from "react";
import type { DocumentNode, InputPort, Operator, Parameter } from "../../core/api/types";
import { AlertButton } from "./AlertButton";
import { PinButton } from "./PinButton";
import { sourcesAt } from "../../core/graph/document";
import { hasDefaultResults } from "../../core/graph/edit";
import { literalKind } from "../../core/graph/values";
import { stepNames } from "../../core/graph/steps";
import { refusesWire } from "../../core/graph/wiring";
import { describeRequirement } from "../../core/graph/required";
import { ByArrival } from "../../plans/help/ByArrival";
import { toggleHelp } from "../../plans/help/store";
import {
  connect,
  disconnect,
  removeNodes,
  renameNode,
  setParameter,
  setResult,
  setStream,
} from "../../plans/editor/edits";
import { DrawnInspector } from "./DrawnInspector";
import { FIELDS } from "../../plans/editor/fields";
import { RunningNode } from "./RunningNode";
import { isKnown } from "../../plans/editor/runningNodes";
import { documentOf, problemsOf, useStudio } from "../../plans/editor/store";
import { findStreamField, outputKind } from "../../core/graph/kinds";
import { askDisplay, useDisplays } from "../../timechart/displays";
import { openFunnel } from "../../live/funnelPanel";
import { selectShownLanes, useLanes } from "../../live/store";
import { collectValues } from "../../live/ValueLegend";

function Name({ name }: { name: string }) {
  const id = useId();
  const [draft, setDraft] = useState(name);
  const [refusal, setRefusal] = useState<string | null>(null);
  // Another name is another draft; the field stays, and with it the keyboard.
  const [of, setOf] = useState(name);
  if (of !== name) {
    setOf(name);
    setDraft(name);
    setRefusal(null);
  }
  const commit = () => setRefusal(renameNode(name, draft.trim()));
  return (
    <div className="field">
      <label htmlFor={id}>Name</label>
      <input
        id={id}
        data-testid="node-name"
        value={draft}
        spellCheck={false}
        aria-invalid={refusal !== null || undefined}
        onChange={(event) => setDraft(event.target.value)}
        onBlur={commit}
        onKeyDown={(event) => event.key === "Enter" && commit()}
      />
      {refusal !== null && <small className="bad">{refusal}</small>}
    </div>
  );
}

function StreamChoice({ name, node, operator }: { name: string; node: DocumentNode; operator: Operator }) {
  const id = useId();
  const streams = useStudio((state) => state.streams);
  const hidden = useStudio(({ plan }) => plan?.not_shared.includes(node.stream ?? "") ?? false);
  const unknown = node.stream !== undefined && !streams.has(node.stream);
  return (
    <div className="field" data-field="stream">
      <label htmlFor={id}>
        Stream
        <Need of={operator} one={{ name: "stream", required: operator.needs_stream }} />
      </label>
      <select
        id={id}
        data-testid="stream-select"
        value={node.stream ?? ""}
        onChange={(event) => setStream(name, event.target.value)}
      >
        <option value="" disabled={operator.needs_stream}>
          {operator.needs_stream ? "Choose a stream" : "No stream"}
        </option>
        {unknown && (
          <option value={node.stream}>
            {node.stream} {hidden ? "(not shared)" : "(not declared)"}
          </option>
        )}
        {[...streams.keys()].map((stream) => (
          <option key={stream}>{stream}</option>
        ))}
      </select>
    </div>
  );
}

function Need({ of, one }: { of: Operator | undefined; one: { name: string; required: boolean } }) {
  const words = of ? describeRequirement(of, one) : "";
  return words !== "" && <i className="faint"> {words}</i>;
}

/** That a field holds nothing is said by what it needs, not by what is wrong with it. */
const EMPTY: ReadonlySet<string> = new Set(["missing_parameter", "one_of"]);

function ParameterField({
  name,
  operator,
  parameter,
}: {
  name: string;
  operator: Operator;
  parameter: Parameter;
}) {
  const id = useId();
  const state = useStudio();
  const node = documentOf(state).nodes[name];
  const Field = FIELDS[parameter.type];
  const [from] = sourcesAt(node, operator.inputs[0]?.name ?? "");
  const wrong = problemsOf(state).find(
    (problem) => problem.node === name && problem.port === parameter.name && !EMPTY.has(problem.code),
  );
  return (
    <div className="field" data-field={parameter.name}>
      <label htmlFor={id}>
        {parameter.title}
        <Need of={operator} one={parameter} />
      </label>
      <Field
        id={id}
        parameter={parameter}
        value={node?.params?.[parameter.name]}
        stream={state.streams.get(node?.stream ?? "")}
        kind={literalKind(documentOf(state), name, operator, state)}
        origin={from === undefined ? null : findStreamField(documentOf(state), from, state.operators)}
        steps={stepNames(node?.params?.steps)}
        change={(value) => setParameter(name, parameter.name, value)}
      />
      {wrong && (
        <small
          className={wrong.severity === "warning" ? "faint" : "bad"}
          data-testid={`wrong-${parameter.name}`}
        >
          {wrong.message.replace(/\.$/, "")}: {wrong.hint}
        </small>
      )}
      {parameter.help && <small className="faint">{parameter.help}</small>}
    </div>
  );
}

/** Wiring without a mouse: what is connected to a port, and what could be. */
function PortField({ name, port }: { name: string; port: InputPort }) {
  const id = useId();
  const state = useStudio();
  const document = documentOf(state);
  const held = sourcesAt(document.nodes[name], port.name);
  const wire = (from: string) => ({ from, to: name, port: port.name });
  const possible = Object.keys(document.nodes).filter(
    (from) => refusesWire(document, wire(from), state) === null,
  );
  return (
    <div className="field" data-field={port.name}>
      <label htmlFor={id}>
        Input: {port.title}
        <Need of={state.operators.get(document.nodes[name]?.op ?? "")} one={port} />
      </label>
      {held.map((from) => (
        <span className="wired" key={from}>
          {from}
          <button
            type="button"
            className="quiet"
            aria-label={`Disconnect ${from}`}
            onClick={() => disconnect([wire(from)])}
          >
            ×
          </button>
        </span>
      ))}
      <select
        id={id}
        value=""
        disabled={possible.length === 0}
        onChange={(event) => connect(wire(event.target.value))}
      >
        <option value="" disabled>
          {held.length > 0 && !port.many ? "Replace input…" : "Connect a node"}
        </option>
        {possible.map((from) => (
          <option key={from}>{from}</option>
        ))}
      </select>
    </div>
  );
}

/** Choose colours, labels, thresholds and format of what the node says. */
function DisplayButton({ name }: { name: string }) {
  const state = useStudio();
  const mayChoose = useDisplays(({ shown }) => (shown[name]?.targets.length ?? 0) > 0);
  const kind = outputKind(documentOf(state), name, state.operators, state.streams);
  if (!mayChoose || kind === "any") return null;
  const ask = () => {
    const lane = selectShownLanes(useLanes.getState())[name];
    askDisplay({ name, kind, values: lane ? collectValues(lane) : [] });
  };
  return (
    <button type="button" data-testid="display" onClick={ask}>
      {kind === "number" || kind === "ratio" ? "Format and thresholds…" : "Colours and labels…"}
    </button>
  );
}

/** How far the keys of a sequence came, beside the lanes. */
function FunnelButton({ name, op }: { name: string; op: string }) {
  const isThere = useStudio((state) => isKnown(state, name));
  if (op !== "sequence" || !isThere) return null;
  return (
    <button type="button" data-testid="funnel-of-node" onClick={() => openFunnel(name)}>
      Funnel
    </button>
  );
}

function NodeInspector({ name, node }: { name: string; node: DocumentNode }) {
  const operator = useStudio((state) => state.operators.get(node.op));
  const isResult = useStudio((state) => documentOf(state).results?.includes(name) ?? false);
  const follows = useStudio((state) => hasDefaultResults(documentOf(state)));
  return (
    <>
      <div className="row spread head">
        <h2>{operator?.title ?? node.op}</h2>
        {operator && (
          <button type="button" data-testid="help" onClick={() => toggleHelp(operator.name)}>
            Help
          </button>
        )}
      </div>
      <p className="faint" title={operator?.description}>
        {operator?.summary ?? "The server has no such operator."}
      </p>
      <ByArrival operator={operator} />
      <Name name={name} />
      {operator?.takes_stream && <StreamChoice name={name} node={node} operator={operator} />}
      {operator?.parameters.map((parameter) => (
        <ParameterField key={parameter.name} name={name} operator={operator} parameter={parameter} />
      ))}
      {operator?.inputs.map((port) => (
        <PortField key={port.name} name={name} port={port} />
      ))}
      <label className="check">
        <input
          type="checkbox"
          checked={isResult}
          onChange={(event) => setResult(name, event.target.checked)}
        />
        Output of this plan
      </label>
      {follows && <small className="faint">By default, nodes that nothing else uses are outputs.</small>}
      <PinButton name={name} />
      <FunnelButton name={name} op={node.op} />
      <AlertButton name={name} />
      <DisplayButton name={name} />
      <button type="button" className="danger" data-testid="delete-node" onClick={() => removeNodes([name])}>
        Delete node
      </button>
      <RunningNode name={name} />
    </>
  );
}

export function Inspector() {
  const selected = useStudio((state) => state.selected);
  const [name] = selected;
  const node = useStudio((state) => documentOf(state).nodes[name ?? ""]);
  return (
    <aside className="inspector" aria-label="Inspector">
      {name !== undefined && node && selected.length === 1 ? (
        <NodeInspector name={name} node={node} />
      ) : (
        <DrawnInspector />
      )}
    </aside>
  );
}
