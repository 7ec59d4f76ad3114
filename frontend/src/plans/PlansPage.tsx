import { may, refusesMaking } from "../core/api/rights";
import "./transfer/import.css";
import "./run/run.css";
import { useState, type ReactNode } from "react";
import { api } from "../core/api/client";
import type { Me, Plan } from "../core/api/types";
import { MoreButton, onMenu } from "../core/ui/ContextMenu";
import { rowGroups } from "../core/ui/linkItems";
import { tone } from "../core/ui/tone";
import type { RowCheckboxes } from "../core/search/SelectedRows";
import { ListPage } from "../core/shell/ListPage";
import { Owner } from "../core/search/ListTools";
import { listOf, useListing } from "../core/search/useListing";
import { useQuery } from "../core/search/useQuery";
import { TourOffer } from "../core/tour/TourOffer";
import { Import } from "./transfer/Import";
import { openImport } from "./transfer/store";
import { DeleteDialog } from "../core/ui/DeleteDialog";
import { useTitle } from "../core/ui/useTitle";
import { Ago } from "../core/ui/Ago";
import { stateOf } from "./planState";

interface RowProps {
  plan: Plan;
  now: number;
  /** Undefined where it is not one's own. */
  remove: (() => void) | undefined;
  box: ReactNode;
}

function Row({ plan, now, remove, box }: RowProps) {
  const { state, words } = stateOf(plan);
  const menu = { title: `Actions of ${plan.name}`, groups: rowGroups(`/plans/${plan.id}/`, remove) };
  return (
    <tr data-testid={`plan-${plan.id}`} onContextMenu={onMenu(menu)}>
      {box}
      <td>
        <a href={`/plans/${plan.id}/`}>{plan.name}</a>
      </td>
      <td className="nowrap">
        <Owner thing={plan} />
      </td>
      <td className="nowrap">
        <span className={`dot ${tone(state)}`} aria-hidden="true" /> {words}
      </td>
      <td className="number wide">{Object.keys(plan.document.nodes ?? {}).length}</td>
      <td className="nowrap wide">
        <Ago at={plan.updated_at} now={now} />
      </td>
      <td className="actions">
        <MoreButton {...menu} />
      </td>
    </tr>
  );
}

interface TableProps {
  plans: readonly Plan[];
  remove: (plan: Plan) => void;
  boxes: RowCheckboxes<Plan>;
}

function Table({ plans, remove, boxes }: TableProps) {
  const [now] = useState(() => Date.now());
  return (
    <table data-testid="plans">
      <thead>
        <tr>
          {boxes.head}
          <th>Plan</th>
          <th>Owner</th>
          <th>State</th>
          <th className="number wide">Nodes</th>
          <th className="wide">Updated</th>
          <th aria-label="Actions" />
        </tr>
      </thead>
      <tbody>
        {plans.map((plan) => (
          <Row
            key={plan.id}
            plan={plan}
            now={now}
            box={boxes.of(plan)}
            remove={may("own", plan) ? () => remove(plan) : undefined}
          />
        ))}
      </tbody>
    </table>
  );
}

function Empty({ looks }: { looks: string | null }) {
  return (
    <section className="card empty">
      <h2>No plans yet</h2>
      <p>
        A plan answers a question about events over time: how long did viewers rebuffer, which cards were in
        two suburbs at once? Draw it as a graph of operators, or write it as text.
      </p>
      {looks === null ? (
        <div className="row">
          <a className="button primary" href="/plans/new/">
            Create a plan
          </a>
          <a className="button" href="/streams/declare-new/">
            Declare a stream of events
          </a>
        </div>
      ) : (
        <p className="faint">{looks}</p>
      )}
    </section>
  );
}

const buttons = (
  <>
    <button type="button" data-testid="import" onClick={() => openImport()}>
      Import…
    </button>
    <a className="button primary" href="/plans/new/" data-testid="new-plan">
      New plan
    </a>
  </>
);

export function PlansPage({ me }: { me: Me | null }) {
  useTitle("Plans");
  const query = useQuery();
  const listing = useListing<Plan>(listOf("/api/plans/", { q: query.asked }));
  const [leaving, setLeaving] = useState<Plan | null>(null);
  const looks = refusesMaking(me);
  const close = () => setLeaving(null);
  return (
    <ListPage
      me={me}
      kind="plan"
      query={query}
      listing={listing}
      buttons={looks === null && buttons}
      empty={<Empty looks={looks} />}
      above={looks === null && <TourOffer />}
      idOf={(plan) => String(plan.id)}
      nameOf={(plan) => plan.name}
      table={(plans, boxes) => <Table plans={plans} boxes={boxes} remove={setLeaving} />}
    >
      {leaving && (
        <DeleteDialog
          name={leaving.name}
          remove={() => api.deletePlan(leaving.id)}
          close={close}
          done={() => {
            close();
            listing.again();
          }}
        >
          {leaving.running
            ? "It is running. Its nodes stop unless other plans use them."
            : "This cannot be undone."}
        </DeleteDialog>
      )}
      {looks === null && <Import current={null} />}
    </ListPage>
  );
}
