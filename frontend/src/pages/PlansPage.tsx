import { may } from "../api/rights";
import "../styles/import.css";
import "../styles/run.css";
import { useState } from "react";
import { api } from "../api/client";
import type { Me, Plan } from "../api/types";
import { TourOffer } from "../tour/TourOffer";
import { Import } from "../transfer/Import";
import { openImport } from "../transfer/store";
import { DeleteDialog } from "../ui/DeleteDialog";
import { Header } from "../ui/Header";
import { ListSearch } from "../ui/ListSearch";
import { fits } from "../ui/search";
import { useLoaded } from "../ui/useLoaded";
import { useTitle } from "../ui/useTitle";
import { ago } from "../ui/words";

interface RowProps {
  plan: Plan;
  now: number;
  /** Undefined where it is not one's own. */
  remove: (() => void) | undefined;
}

function Row({ plan, now, remove }: RowProps) {
  return (
    <tr>
      <td>
        <a href={`/plans/${plan.id}/`}>{plan.name}</a>
      </td>
      <td className="nowrap">{plan.owner}</td>
      <td className="nowrap">
        <span className={`dot ${plan.running ? "green" : "grey"}`} aria-hidden="true" />{" "}
        {plan.running ? "running" : "stopped"}
      </td>
      <td className="number">{Object.keys(plan.document.nodes ?? {}).length}</td>
      <td className="nowrap" title={plan.updated_at}>
        {ago(plan.updated_at, now)}
      </td>
      <td className="actions">
        {remove && (
          <button type="button" className="quiet" aria-label={`Delete ${plan.name}`} onClick={remove}>
            Delete
          </button>
        )}
      </td>
    </tr>
  );
}

function Table({ plans, remove }: { plans: Plan[]; remove: (plan: Plan) => void }) {
  const [now] = useState(() => Date.now());
  return (
    <table data-testid="plans">
      <thead>
        <tr>
          <th>Plan</th>
          <th>Owner</th>
          <th>State</th>
          <th className="number">Nodes</th>
          <th>Updated</th>
          <th aria-label="Actions" />
        </tr>
      </thead>
      <tbody>
        {plans.map((plan) => (
          <Row
            key={plan.id}
            plan={plan}
            now={now}
            remove={may("own", plan) ? () => remove(plan) : undefined}
          />
        ))}
      </tbody>
    </table>
  );
}

function Empty() {
  return (
    <section className="card empty">
      <h2>There are no plans yet</h2>
      <p>
        A plan asks something of events over time: how long did viewers rebuffer, which cards were in two
        suburbs at once? It is drawn as a graph of operators, or written as text.
      </p>
      <div className="row">
        <a className="button primary" href="/plans/new/">
          Draw the first
        </a>
        <a className="button" href="/streams/declare-new/">
          Declare a stream of events
        </a>
      </div>
    </section>
  );
}

export function PlansPage({ me }: { me: Me | null }) {
  useTitle("Plans");
  const { value: plans, failure, again } = useLoaded(api.plans);
  const [search, setSearch] = useState("");
  const [leaving, setLeaving] = useState<Plan | null>(null);
  const close = () => setLeaving(null);
  const found = plans?.filter((plan) => fits(plan, search, me)) ?? [];
  return (
    <>
      <Header me={me} here="plans" />
      <main className="page">
        <div className="row spread">
          <h1>Plans</h1>
          <div className="row">
            <button type="button" data-testid="import" onClick={() => openImport()}>
              Import…
            </button>
            <a className="button primary" href="/plans/new/" data-testid="new-plan">
              New plan
            </a>
          </div>
        </div>
        {failure && <p className="bad">{failure}</p>}
        <TourOffer />
        {plans?.length === 0 && <Empty />}
        {plans && plans.length > 0 && <ListSearch what="plans" search={search} setSearch={setSearch} />}
        {found.length > 0 && <Table plans={found} remove={setLeaving} />}
        {plans && plans.length > 0 && found.length === 0 && <p className="faint">No plan matches.</p>}
        {leaving && (
          <DeleteDialog
            name={leaving.name}
            remove={() => api.deletePlan(leaving.id)}
            close={close}
            done={() => {
              close();
              again();
            }}
          >
            {leaving.running
              ? "It is running. Its nodes stop unless other plans use them."
              : "This cannot be undone."}
          </DeleteDialog>
        )}
        <Import current={null} />
      </main>
    </>
  );
}
