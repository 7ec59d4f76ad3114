import { may } from "../core/api/rights";
import { useId, useState } from "react";
import { api, describeError } from "../core/api/client";
import type { ChartDraft, ChartType } from "../core/api/dashboards";
import type { OutputKind } from "../core/api/types";
import { Dialog } from "../core/ui/Dialog";
import { ChooseField } from "../core/search/ChooseField";
import { useLoaded } from "../core/ui/useLoaded";
import { findBoards } from "./chartOptions";
import { DECLARED, defaultType, ofOneKey, refusesNode, sized, TYPES, type ChartableNode } from "./document";
import { newOne, targetOf, type Target } from "./target";
import { Failure } from "../core/ui/Failure";
import { DialogFoot } from "../core/ui/DialogFoot";
import { EVERYONE } from "../core/search/keySource";

export interface Pinned {
  plan: number;
  node: string;
  digest: string | null;
  kind: OutputKind;
  operator: string;
  /** The key that is looked at; empty: none yet. */
  key: string;
}

const LAST = "timelines.last-dashboard";

function draftOf(pinned: Pinned, type: ChartType, fixed: boolean): ChartDraft {
  const { plan, node, digest, key } = pinned;
  const always = key === EVERYONE || (fixed && key !== "");
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

function BoardField({ target, choose }: { target: Target; choose: (target: Target) => void }) {
  const id = useId();
  return (
    <>
      <ChooseField
        label="Dashboard"
        testid="pin-board"
        what="dashboards"
        those="that you may change"
        kind="dashboard"
        value={target.id === null ? "New dashboard" : target.name}
        find={findBoards}
        beside={(text) => [newOne(text, target)]}
        choose={(choice) => choose(targetOf(choice))}
      />
      {target.id === null && (
        <div className="field">
          <label htmlFor={`${id}-name`}>Name</label>
          <input
            id={`${id}-name`}
            maxLength={200}
            value={target.name}
            placeholder="Untitled dashboard"
            onChange={(event) => choose({ id: null, name: event.target.value })}
          />
        </div>
      )}
    </>
  );
}

function TypeField({
  shown,
  value,
  choose,
}: {
  shown: ChartableNode;
  value: ChartType;
  choose: (type: ChartType) => void;
}) {
  const id = useId();
  const types = TYPES.filter((one) => refusesNode(one, shown) === null);
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
            {DECLARED[one].title}: {DECLARED[one].meaning}
          </option>
        ))}
      </select>
    </div>
  );
}

/** Pin to this dashboard, or to a new one of this name; the dashboard's number. */
async function pinTo({ id, name }: Target, draft: ChartDraft): Promise<number> {
  const to = id ?? (await api.createDashboard({ name })).id;
  await api.pinChart(to, draft);
  window.localStorage.setItem(LAST, String(to));
  return to;
}

/** Where something was pinned last, if that is still one's own; else what was changed last, else a new one. */
async function likelyBoard(): Promise<Target> {
  const last = Number(window.localStorage.getItem(LAST) ?? "");
  const board = last > 0 ? await api.dashboard(last, null).catch(() => null) : null;
  if (board && may("edit", board)) return { id: board.id, name: board.name };
  const [first] = (await findBoards("")).choices;
  return first ? { id: Number(first.id), name: first.title } : { id: null, name: "" };
}

interface FormProps {
  pinned: Pinned;
  as: ChartType | undefined;
  first: Target;
  close: () => void;
}

function Form({ pinned, as, first, close }: FormProps) {
  const [target, setTarget] = useState(first);
  const [type, setType] = useState<ChartType>(as ?? defaultType(pinned, false));
  const [fixed, setFixed] = useState(true);
  const [done, setDone] = useState<number | null>(null);
  const [failure, setFailure] = useState<string | null>(null);
  const pin = () =>
    pinTo(target, draftOf(pinned, type, fixed)).then(setDone, (error: unknown) =>
      setFailure(describeError(error)),
    );
  if (done !== null) return <Done node={pinned.node} board={done} name={target.name} close={close} />;
  return (
    <>
      <BoardField target={target} choose={setTarget} />
      <TypeField shown={pinned} value={type} choose={setType} />
      {ofOneKey(type) && pinned.key !== "" && pinned.key !== EVERYONE && (
        <label className="check">
          <input type="checkbox" checked={fixed} onChange={(event) => setFixed(event.target.checked)} />
          always {pinned.key}, whichever key is chosen on the dashboard
        </label>
      )}
      <DialogFoot failure={failure} go={() => void pin()} testid="pin-confirm" close={close}>
        Pin
      </DialogFoot>
    </>
  );
}

function Done({
  node,
  board,
  name,
  close,
}: {
  node: string;
  board: number;
  name: string;
  close: () => void;
}) {
  return (
    <>
      <p>
        {node} is on {name === "" ? "the dashboard" : `“${name}”`} now.
      </p>
      <div className="row">
        <a className="button primary" href={`/dashboards/${board}/`} data-testid="open-board">
          Open the dashboard
        </a>
        <button type="button" onClick={close}>
          Close
        </button>
      </div>
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
  const { value, failure } = useLoaded(likelyBoard);
  return (
    <Dialog title={`Pin ${pinned.node} to a dashboard`} close={close}>
      <Failure words={failure} />
      {value && <Form pinned={pinned} as={as} first={value} close={close} />}
      {!value && failure === null && <p className="faint">Loading.</p>}
    </Dialog>
  );
}
