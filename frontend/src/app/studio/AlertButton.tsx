import { lazy, Suspense, useEffect, useRef, useState } from "react";
import type { Parameters } from "../../alerts/AlertDialog";
import { documentOf, useStudio } from "../../plans/editor/store";
import { askAlert, isNumber, prepareAlert, refusesAlert, testedNode, useAlerting } from "./alerting";

const AlertDialog = lazy(() =>
  import("../../alerts/AlertDialog").then((module) => ({ default: module.AlertDialog })),
);

function OpenAlert({ node }: { node: string }) {
  const made = useRef<string | null>(null);
  const [hasLimits] = useState(() => isNumber(node));
  const [tested] = useState(() => testedNode(node));
  const prepare = async (parameters: Parameters) =>
    prepareAlert(node, parameters, made.current, (name) => {
      made.current = name;
    });
  return (
    <AlertDialog
      node={node}
      hasLimits={hasLimits}
      tested={tested}
      prepare={prepare}
      close={() => askAlert(null)}
    />
  );
}

/** The dialog that the button and the command open. */
export function Alerting() {
  const node = useAlerting((state) => state.node);
  useEffect(() => () => askAlert(null), []);
  return (
    node !== null && (
      <Suspense fallback={null}>
        <OpenAlert key={node} node={node} />
      </Suspense>
    )
  );
}

/** Make an alert on a node. */
export function AlertButton({ name }: { name: string }) {
  // The kind of the node changes with the plan.
  useStudio(documentOf);
  const refusal = refusesAlert(name);
  return (
    <button
      type="button"
      data-testid="alert-node"
      disabled={refusal !== null}
      title={refusal ?? undefined}
      onClick={() => askAlert(name)}
    >
      Alert…
    </button>
  );
}
