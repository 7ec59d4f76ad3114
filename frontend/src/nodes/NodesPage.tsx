import type { ReactNode } from "react";
import type { Me, ListedNode } from "../core/api/types";
import { MoreButton, onMenu } from "../core/ui/ContextMenu";
import { rowGroups } from "../core/ui/linkItems";
import { tone } from "../core/ui/tone";
import type { RowCheckboxes } from "../core/search/SelectedRows";
import { ListPage } from "../core/shell/ListPage";
import { Owner } from "../core/search/ListTools";
import { listOf, useListing } from "../core/search/useListing";
import { useQuery } from "../core/search/useQuery";
import { useTitle } from "../core/ui/useTitle";
import { formatMoment } from "../core/time/format";
import { nameOf, usersOf } from "./nodeUsers";

const FEW = 3;

function Users({ node }: { node: ListedNode }) {
  const users = usersOf(node);
  return (
    <>
      {users.slice(0, FEW).map(({ plan, title }, i) => (
        <span key={title}>
          {i > 0 && ", "}
          {plan === null ? title : <a href={`/plans/${plan}/`}>{title}</a>}
        </span>
      ))}
      {users.length > FEW && <span className="faint"> and {users.length - FEW} more</span>}
      {users.length === 0 && <span className="faint">none</span>}
    </>
  );
}

function Row({ node, box }: { node: ListedNode; box: ReactNode }) {
  const { digest, operator_title: operator, status } = node;
  const name = nameOf(node);
  const menu = { title: `Actions of ${name}`, groups: rowGroups(`/nodes/${digest}/`) };
  return (
    <tr data-testid={`listed-${digest}`} onContextMenu={onMenu(menu)}>
      {box}
      <td>
        <a href={`/nodes/${digest}/`}>{name}</a>
        {name !== operator && <small className="faint">{operator}</small>}
      </td>
      <td className="nowrap">
        <Owner thing={node} />
      </td>
      <td>
        <span className={`dot ${tone(status.observed)}`} aria-hidden="true" />{" "}
        {status.words || status.observed}
        {status.trouble !== "" && <small className="bad">{status.trouble}</small>}
      </td>
      <td className="listed-plans wide">
        <Users node={node} />
      </td>
      <td className="nowrap wide">{formatMoment(status.last_progress)}</td>
      <td className="actions">
        <MoreButton {...menu} />
      </td>
    </tr>
  );
}

function Table({ nodes, boxes }: { nodes: readonly ListedNode[]; boxes: RowCheckboxes<ListedNode> }) {
  return (
    <table data-testid="nodes">
      <thead>
        <tr>
          {boxes.head}
          <th>Node</th>
          <th>Owner</th>
          <th>State</th>
          <th className="wide">Used by</th>
          <th className="wide">Last progress</th>
          <th aria-label="Actions" />
        </tr>
      </thead>
      <tbody>
        {nodes.map((node) => (
          <Row key={node.digest} node={node} box={boxes.of(node)} />
        ))}
      </tbody>
    </table>
  );
}

function Empty() {
  return (
    <section className="card empty">
      <h2>No nodes yet</h2>
      <p>
        A node is one running computation. Plans with the same computation share it. Run a plan to create
        nodes.
      </p>
      <a className="button primary" href="/">
        All plans
      </a>
    </section>
  );
}

/** Every computation that one may look at: whose it is, how it is, and which plans use it. */
export function NodesPage({ me }: { me: Me | null }) {
  useTitle("Nodes");
  const query = useQuery();
  const listing = useListing<ListedNode>(listOf("/api/nodes/", { q: query.asked }));
  return (
    <ListPage
      me={me}
      kind="node"
      query={query}
      listing={listing}
      buttons={null}
      empty={<Empty />}
      idOf={(node) => node.digest}
      nameOf={nameOf}
      table={(nodes, boxes) => <Table nodes={nodes} boxes={boxes} />}
    />
  );
}
