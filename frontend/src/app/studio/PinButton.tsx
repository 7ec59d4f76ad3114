import { useEffect, useState } from "react";
import type { ChartType } from "../../core/api/dashboards";
import { refusesMaking } from "../../core/api/rights";
import { digestOf } from "../../plans/editor/runningNodes";
import { documentOf, useStudio } from "../../plans/editor/store";
import { selectEveryoneNodes, selectGroupedNodes, outputKind } from "../../core/graph/kinds";
import { useLanes } from "../../live/store";
import { PinDialog, type Pinned } from "../../dashboards/PinDialog";
import { pin, usePinning } from "./pinning";
import { EVERYONE } from "../../core/search/keySource";

/** What there is to pin of a node of the plan on the page; null before the plan is saved. */
function usePinned(name: string): Pinned | null {
  const state = useStudio();
  const key = useLanes((lanes) => lanes.key);
  const group = useLanes((lanes) => lanes.group);
  const { plan, operators, streams } = state;
  const document = documentOf(state);
  if (plan === null || plan.document.nodes[name] === undefined) return null;
  const everyone = selectEveryoneNodes(document, operators).has(name);
  const grouped = selectGroupedNodes(document, operators).has(name);
  return {
    plan: plan.id,
    node: name,
    digest: digestOf(state, name),
    kind: outputKind(document, name, operators, streams),
    operator: plan.document.nodes[name].op,
    key: everyone ? EVERYONE : grouped ? group : key,
  };
}

/** Apart from the button, so that what it takes is reckoned only while it is open. */
function Open({ name, as, close }: { name: string; as?: ChartType | undefined; close: () => void }) {
  const pinned = usePinned(name);
  return pinned && <PinDialog pinned={pinned} as={as} close={close} />;
}

const close = (): void => pin(null);

/** What a command pins. */
export function Pinning() {
  const node = usePinning((state) => state.node);
  useEffect(() => close, []);
  return node !== null && <Open name={node} close={close} />;
}

interface Props {
  name: string;
  quiet?: boolean;
  /** The chart that is offered first; else the one that suits the node. */
  as?: ChartType;
}

/** Put a chart of a node onto a dashboard. */
export function PinButton({ name, quiet = false, as }: Props) {
  const saved = useStudio((state) => state.plan?.document.nodes[name] !== undefined);
  const looks = useStudio(({ me }) => refusesMaking(me) !== null);
  const [open, setOpen] = useState(false);
  if (!saved || looks) return null;
  return (
    <>
      <button
        type="button"
        className={quiet ? "quiet lane-why" : ""}
        aria-label={quiet ? `Pin ${name} to a dashboard` : undefined}
        data-testid={quiet ? `pin-lane-${name}` : as ? `pin-${as}` : "pin-node"}
        onClick={() => setOpen(true)}
      >
        {quiet ? "Pin" : "Pin to dashboard"}
      </button>
      {open && <Open name={name} as={as} close={() => setOpen(false)} />}
    </>
  );
}
