import "react-grid-layout/css/styles.css";
import "../live/lanes.css";
import "./dashboards.css";
import "./charts.css";
import "./chart-form.css";
import "./kiosk.css";
import { useState } from "react";
import type { Me } from "../core/api/types";
import { BoardToolbar } from "./BoardToolbar";
import { Conflict, Notice, OldVersion } from "./Notices";
import { Grid } from "./Grid";
import { Kiosk } from "./Kiosk";
import { recreateBoard } from "./server";
import { documentOf, refusesChange, useBoard } from "./store";
import { useKeys, useLeaveWarning, useLoading, useSources } from "./useBoardPage";
import { NotAvailable } from "../core/ui/NotAvailable";
import { Header } from "../core/shell/Header";
import { Loading } from "../core/ui/Loading";

function Empty({ add }: { add: () => void }) {
  const refusal = useBoard(refusesChange);
  return (
    <div className="board-empty">
      <h2>This dashboard is empty</h2>
      <p className="faint">
        {refusal ??
          "Add a chart of any node of any plan, or pin one from a plan's page: select a node there, and press “Pin to dashboard”."}
      </p>
      {refusal === null && (
        <button type="button" className="primary" onClick={add}>
          Add a chart
        </button>
      )}
    </div>
  );
}

function Board({ me }: { me: Me | null }) {
  const state = useBoard((board) => board.board);
  const failure = useBoard((board) => board.failure);
  const gone = useBoard((board) => board.gone);
  const name = useBoard((board) => board.name);
  const charts = useBoard((board) => documentOf(board).charts);
  const editing = useBoard((board) => board.editing);
  const said = useBoard((board) => board.said);
  const [setUp, setSetUp] = useState<string | null>(null);
  const [adding, setAdding] = useState(false);
  const chosen = charts.find((chart) => chart.id === setUp) ?? null;
  return (
    <div className="board">
      <Header me={me} here="dashboards" />
      {failure && !state && (
        <NotAvailable title="This dashboard cannot be shown" words={failure} link="/dashboards/">
          All dashboards
        </NotAvailable>
      )}
      {!state && !failure && <Loading what="the dashboard" page />}
      {state && gone && (
        <NotAvailable
          title={`The dashboard “${name}” is gone`}
          words={`Somebody deleted it, or you may not look at it any more. ${failure ?? ""}`}
          link="/dashboards/"
          again={{ words: "Restore", act: recreateBoard }}
        >
          All dashboards
        </NotAvailable>
      )}
      {state && !gone && (
        <>
          <BoardToolbar setUp={chosen} adding={adding} add={setAdding} closeSetUp={() => setSetUp(null)} />
          <OldVersion />
          <Notice />
          <Conflict />
          <main className="board-scroll">
            {editing && charts.length > 0 && (
              <p className="faint board-help">
                Drag a chart by its header and resize it at its corner, or focus it with Tab and use the arrow
                keys, with Shift to resize.
              </p>
            )}
            {charts.length === 0 ? (
              <Empty add={() => setAdding(true)} />
            ) : (
              <Grid charts={charts} editing={editing} kiosk={false} setUp={(chart) => setSetUp(chart.id)} />
            )}
          </main>
          <p className="visually-hidden" aria-live="polite">
            {said}
          </p>
        </>
      )}
    </div>
  );
}

export function DashboardPage({ me, id, kiosk }: { me: Me | null; id: number; kiosk: boolean }) {
  useLoading(id);
  useSources();
  useKeys();
  useLeaveWarning();
  return kiosk ? <Kiosk /> : <Board me={me} />;
}
