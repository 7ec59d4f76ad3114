import { may } from "../api/rights";
import { useState } from "react";
import { api, inWords } from "../api/client";
import type { BoardSummary } from "../api/dashboards";
import type { Me } from "../api/types";
import { DeleteDialog } from "../ui/DeleteDialog";
import { Header } from "../ui/Header";
import { ListSearch } from "../ui/ListSearch";
import { fits } from "../ui/search";
import { useLoaded } from "../ui/useLoaded";
import { useTitle } from "../ui/useTitle";
import { ago } from "../ui/words";

interface TableProps {
  boards: BoardSummary[];
  remove: (board: BoardSummary) => void;
}

function Table({ boards, remove }: TableProps) {
  const [now] = useState(() => Date.now());
  return (
    <table data-testid="dashboards">
      <thead>
        <tr>
          <th>Dashboard</th>
          <th>Owner</th>
          <th className="number">Charts</th>
          <th>Updated</th>
          <th aria-label="Actions" />
        </tr>
      </thead>
      <tbody>
        {boards.map((board) => (
          <tr key={board.id}>
            <td>
              <a href={`/dashboards/${board.id}/`}>{board.name}</a>
            </td>
            <td className="nowrap">{board.owner}</td>
            <td className="number">{board.charts}</td>
            <td className="nowrap" title={board.updated_at}>
              {ago(board.updated_at, now)}
            </td>
            <td className="actions">
              {may("own", board) && (
                <button
                  type="button"
                  className="quiet"
                  aria-label={`Delete ${board.name}`}
                  onClick={() => remove(board)}
                >
                  Delete
                </button>
              )}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Empty({ making, make }: { making: boolean; make: () => void }) {
  return (
    <section className="card empty">
      <h2>There are no dashboards yet</h2>
      <p>
        A dashboard shows live charts of any nodes of any plans, for you and for others, also on a screen on
        the wall. Begin with an empty one, or pin a chart from a plan: select a node there, and press “Pin to
        dashboard”.
      </p>
      <button type="button" className="primary" disabled={making} onClick={make}>
        Begin the first
      </button>
    </section>
  );
}

export function DashboardsPage({ me }: { me: Me | null }) {
  useTitle("Dashboards");
  const { value: boards, failure, again } = useLoaded(api.dashboards);
  const [leaving, setLeaving] = useState<BoardSummary | null>(null);
  const [search, setSearch] = useState("");
  const [refusal, setRefusal] = useState<string | null>(null);
  const [making, setMaking] = useState(false);
  const refuse = (error: unknown) => {
    setMaking(false);
    setRefusal(inWords(error));
  };
  const make = () => {
    setMaking(true);
    return api
      .createDashboard({ name: "" })
      .then((made) => window.location.assign(`/dashboards/${made.id}/`), refuse);
  };
  const close = () => setLeaving(null);
  const found = boards?.filter((board) => fits(board, search, me)) ?? [];
  return (
    <>
      <Header me={me} here="dashboards" />
      <main className="page">
        <div className="row spread">
          <h1>Dashboards</h1>
          <button
            type="button"
            className="primary"
            data-testid="new-dashboard"
            disabled={making}
            onClick={() => void make()}
          >
            New dashboard
          </button>
        </div>
        {boards && boards.length > 0 && (
          <ListSearch what="dashboards" search={search} setSearch={setSearch} />
        )}
        {(failure ?? refusal) && <p className="bad">{failure ?? refusal}</p>}
        {boards?.length === 0 && <Empty making={making} make={() => void make()} />}
        {found.length > 0 && <Table boards={found} remove={setLeaving} />}
        {boards && boards.length > 0 && found.length === 0 && <p className="faint">No dashboard matches.</p>}
        {leaving && (
          <DeleteDialog
            name={leaving.name}
            remove={() => api.deleteDashboard(leaving.id)}
            close={close}
            done={() => {
              close();
              again();
            }}
          >
            All its versions are deleted, and links to it lead nowhere. What it shows goes on running.
          </DeleteDialog>
        )}
      </main>
    </>
  );
}
