import { may } from "../api/rights";
import { useId, useState } from "react";
import { api, inWords } from "../api/client";
import type { BoardSummary, ChartDraft, ChartType } from "../api/dashboards";
import type { OutputKind } from "../api/types";
import { Dialog } from "../ui/Dialog";
import { useLoaded } from "../ui/useLoaded";
import { MEANINGS, ofOneKey, refusesKind, sized, TITLES } from "./document";
import { Failure } from "../ui/Failure";

export interface Pinned {
  plan: number;
  node: string;
  digest: string | null;
  kind: OutputKind;
  /** The key that is looked at; empty: none yet. */
  key: string;
}

const LAST = "timelines.last-dashboard";
const NEW = "new";

/** Groups are best seen together, a number as a line, states as a lane. */
function likely({ kind }: Pinned): ChartType {
  return kind === "number" || kind === "ratio" ? "line" : "lane";
}

function draftOf(pinned: Pinned, type: ChartType, fixed: boolean): ChartDraft {
  const { plan, node, digest, key } = pinned;
  const always = key === "*" || (fixed && key !== "");
  return {
    type,
    plan,
    node,
    digest,
    title: "",
    key: ofOneKey(type) && always ? key : null,
    place: sized(type),
  };
}

interface BoardFieldProps {
  boards: BoardSummary[];
  board: string;
  name: string;
  choose: (board: string) => void;
  call: (name: string) => void;
}

function BoardField({ boards, board, name, choose, call }: BoardFieldProps) {
  const id = useId();
  return (
    <>
      <div className="field">
        <label htmlFor={`${id}-board`}>Dashboard</label>
        <select
          id={`${id}-board`}
          data-testid="pin-board"
          value={board}
          onChange={(event) => choose(event.target.value)}
        >
          {boards.map((one) => (
            <option key={one.id} value={one.id}>
              {one.name}
            </option>
          ))}
          <option value={NEW}>a new one</option>
        </select>
      </div>
      {board === NEW && (
        <div className="field">
          <label htmlFor={`${id}-name`}>Its name</label>
          <input
            id={`${id}-name`}
            maxLength={200}
            value={name}
            placeholder="Untitled dashboard"
            onChange={(event) => call(event.target.value)}
          />
        </div>
      )}
    </>
  );
}

function TypeField({
  kind,
  value,
  choose,
}: {
  kind: OutputKind;
  value: ChartType;
  choose: (type: ChartType) => void;
}) {
  const id = useId();
  const types = (Object.keys(TITLES) as ChartType[]).filter((one) => refusesKind(one, kind) === null);
  return (
    <div className="field">
      <label htmlFor={id}>Chart</label>
      <select
        id={id}
        data-testid="pin-type"
        value={value}
        onChange={(event) => choose(event.target.value as ChartType)}
      >
        {types.map((one) => (
          <option key={one} value={one}>
            {TITLES[one]}: {MEANINGS[one]}
          </option>
        ))}
      </select>
    </div>
  );
}

/** Pin to this dashboard, or to a new one of this name; the dashboard's number. */
async function pinTo(board: string, name: string, draft: ChartDraft): Promise<number> {
  const to = board === NEW ? (await api.createDashboard({ name })).id : Number(board);
  await api.pinChart(to, draft);
  window.localStorage.setItem(LAST, String(to));
  return to;
}

interface FormProps {
  pinned: Pinned;
  as: ChartType | undefined;
  boards: BoardSummary[];
  close: () => void;
}

function Form({ pinned, as, boards, close }: FormProps) {
  const last = window.localStorage.getItem(LAST) ?? "";
  const known = boards.some((one) => String(one.id) === last);
  const [board, setBoard] = useState(known ? last : String(boards[0]?.id ?? NEW));
  const [name, setName] = useState("");
  const [type, setType] = useState<ChartType>(as ?? likely(pinned));
  const [fixed, setFixed] = useState(true);
  const [done, setDone] = useState<number | null>(null);
  const [failure, setFailure] = useState<string | null>(null);
  const pin = () =>
    pinTo(board, name, draftOf(pinned, type, fixed)).then(setDone, (error: unknown) =>
      setFailure(inWords(error)),
    );
  if (done !== null) return <Done node={pinned.node} board={done} close={close} />;
  return (
    <>
      <BoardField boards={boards} board={board} name={name} choose={setBoard} call={setName} />
      <TypeField kind={pinned.kind} value={type} choose={setType} />
      {ofOneKey(type) && pinned.key !== "" && pinned.key !== "*" && (
        <label className="check">
          <input type="checkbox" checked={fixed} onChange={(event) => setFixed(event.target.checked)} />
          always {pinned.key}, whichever key is chosen on the dashboard
        </label>
      )}
      <Failure words={failure} />
      <div className="row">
        <button type="button" className="primary" data-testid="pin-confirm" onClick={() => void pin()}>
          Pin
        </button>
        <button type="button" onClick={close}>
          Cancel
        </button>
      </div>
    </>
  );
}

function Done({ node, board, close }: { node: string; board: number; close: () => void }) {
  return (
    <>
      <p>
        {node} is on <a href={`/dashboards/${board}/`}>the dashboard</a> now.
      </p>
      <button type="button" onClick={close}>
        Close
      </button>
    </>
  );
}

interface Props {
  pinned: Pinned;
  /** The chart that is offered first; else the one that suits the node. */
  as?: ChartType | undefined;
  close: () => void;
}

/** Put a chart of a node onto one of one's own dashboards. */
export function PinDialog({ pinned, as, close }: Props) {
  const { value, failure } = useLoaded(api.dashboards);
  const mine = value?.filter((board) => may("edit", board));
  return (
    <Dialog title={`Pin ${pinned.node} to a dashboard`} close={close}>
      <Failure words={failure} />
      {mine ? (
        <Form pinned={pinned} as={as} boards={mine} close={close} />
      ) : (
        <p className="faint">Loading.</p>
      )}
    </Dialog>
  );
}
