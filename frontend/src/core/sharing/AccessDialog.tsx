import "./people.css";
import { useCallback, useState } from "react";
import { describeError } from "../api/client";
import { may } from "../api/rights";
import { Dialog } from "../ui/Dialog";
import { useLoaded } from "../ui/useLoaded";
import { people, type Holder, type Share, type SharedRight, type Sharing } from "./calls";
import { HolderSearch } from "./HolderSearch";
import { ownerRefusal, type SharedThing } from "./thing";
import { Failure } from "../ui/Failure";

const WORDS: Readonly<Record<SharedRight, string>> = {
  read: "look",
  edit: "change",
  operate: "run and stop",
};

interface RowProps {
  share: Share;
  offered: readonly SharedRight[];
  fixed: boolean;
  set: (rights: SharedRight[]) => void;
  remove: () => void;
}

function Row({ share, offered, fixed, set, remove }: RowProps) {
  return (
    <tr data-testid={`share-${share.name}`}>
      <th scope="row">
        {share.name} <span className="faint">{share.kind}</span>
      </th>
      {offered.map((right) => (
        <td key={right}>
          <input
            type="checkbox"
            aria-label={`${share.name} may ${WORDS[right]}`}
            checked={right === "read" || share.rights.includes(right)}
            disabled={fixed || right === "read"}
            onChange={(event) =>
              set(
                event.target.checked ? [...share.rights, right] : share.rights.filter((one) => one !== right),
              )
            }
          />
        </td>
      ))}
      <td>
        {!fixed && (
          <button type="button" className="quiet" aria-label={`Remove ${share.name}`} onClick={remove}>
            Remove
          </button>
        )}
      </td>
    </tr>
  );
}

interface TableProps {
  shares: readonly Share[];
  offered: readonly SharedRight[];
  fixed: boolean;
  set: (shares: Share[]) => void;
}

function Table({ shares, offered, fixed, set }: TableProps) {
  if (shares.length === 0) return <p className="faint">Not shared with anyone.</p>;
  return (
    <table className="shares">
      <thead>
        <tr>
          <th>Shared with</th>
          {offered.map((right) => (
            <th key={right}>may {WORDS[right]}</th>
          ))}
          <th aria-label="Remove" />
        </tr>
      </thead>
      <tbody>
        {shares.map((share) => (
          <Row
            key={`${share.kind}:${share.name}`}
            share={share}
            offered={offered}
            fixed={fixed}
            set={(rights) => set(shares.map((one) => (one === share ? { ...share, rights } : one)))}
            remove={() => set(shares.filter((one) => one !== share))}
          />
        ))}
      </tbody>
    </table>
  );
}

function Form({
  thing,
  told,
  close,
  done,
}: {
  thing: SharedThing;
  told: Sharing;
  close: () => void;
  done: () => void;
}) {
  const [open, setOpen] = useState(told.open_to_all);
  const [shares, setShares] = useState<readonly Share[]>(told.shares);
  const [failure, setFailure] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  const fixed = !may("own", thing);
  const offered: SharedRight[] = thing.kind === "dashboard" ? ["read", "edit"] : ["read", "edit", "operate"];
  const owner: Holder = { kind: told.owner_kind, name: told.owner };
  const add = (holder: Holder) => setShares([...shares, { ...holder, rights: ["read"] }]);
  const save = () => {
    setBusy(true);
    people.share(thing.path, open, shares).then(done, (error: unknown) => {
      setFailure(describeError(error));
      setBusy(false);
    });
  };
  return (
    <>
      <p>
        Owner: <b>{told.owner}</b>
        {told.owner_kind === "team" && ", a team"}. {fixed && ownerRefusal(thing)}
      </p>
      <label className="check">
        <input
          type="checkbox"
          data-testid="open-to-all"
          checked={open}
          disabled={fixed}
          onChange={(event) => setOpen(event.target.checked)}
        />
        Everyone who can log in may view it
      </label>
      <Table shares={shares} offered={offered} fixed={fixed} set={setShares} />
      {!fixed && <HolderSearch label="Share with" except={[...shares, owner]} choose={add} />}
      <Failure words={failure} />
      <div className="row">
        {!fixed && (
          <button type="button" className="primary" data-testid="share-save" disabled={busy} onClick={save}>
            Save
          </button>
        )}
        <button type="button" onClick={close}>
          {fixed ? "Close" : "Cancel"}
        </button>
      </div>
    </>
  );
}

/** Who may look at a thing, change it, run it. */
export function AccessDialog({
  thing,
  close,
  done,
}: {
  thing: SharedThing;
  close: () => void;
  done: () => void;
}) {
  const fetch = useCallback(() => people.sharing(thing.path), [thing.path]);
  const { value, failure } = useLoaded(fetch);
  return (
    <Dialog title={`Share “${thing.name}”`} close={close}>
      <div className="people-dialog" data-testid="access">
        <Failure words={failure} />
        {!failure && !value && <p className="faint">Loading.</p>}
        {value && <Form thing={thing} told={value} close={close} done={done} />}
      </div>
    </Dialog>
  );
}
