import { useCallback, useState, type FormEvent } from "react";
import { api, describeError } from "../core/api/client";
import type { MadePublicLink, PublicLink } from "../core/api/dashboards";
import { formatMoment, microsOf } from "../core/time/format";
import { Ago } from "../core/ui/Ago";
import { copyText } from "../core/ui/copyText";
import { Dialog } from "../core/ui/Dialog";
import { Failure } from "../core/ui/Failure";
import { Loading } from "../core/ui/Loading";
import { useLoaded } from "../core/ui/useLoaded";

const LIFETIMES: readonly [days: number | null, words: string][] = [
  [1, "a day"],
  [7, "7 days"],
  [90, "90 days"],
  [365, "a year"],
  [null, "never"],
];
const toDays = (text: string): number | null => (text === "" ? null : Number(text));

function MadeLink({ link }: { link: MadePublicLink }) {
  const [said, setSaid] = useState("");
  const copy = () => copyText(link.address).then(setSaid);
  return (
    <section className="card made-link" aria-label="New public link" data-testid="made-link">
      <p>Copy the link now: it is shown only once. Anyone who has it sees this dashboard.</p>
      <input
        className="code"
        readOnly
        aria-label="Public link"
        data-testid="public-address"
        value={link.address}
        onFocus={(event) => event.target.select()}
      />
      <div className="row">
        <button type="button" className="primary" onClick={() => void copy()}>
          Copy
        </button>
        <span className="faint" role="status">
          {said}
        </span>
      </div>
    </section>
  );
}

function Row({ link, now, end }: { link: PublicLink; now: number; end: () => void }) {
  return (
    <tr className={link.expired ? "faint" : undefined}>
      <td>{link.name}</td>
      <td className="nowrap" data-of="Last used">
        {link.last_used_at === null ? "never" : <Ago at={link.last_used_at} now={now} />}
      </td>
      <td className="nowrap" data-of="Expires">
        {link.expires_at === null
          ? "never"
          : link.expired
            ? "ended"
            : formatMoment(microsOf(link.expires_at))}
      </td>
      <td className="actions">
        <button type="button" className="quiet" aria-label={`End ${link.name}`} onClick={end}>
          End
        </button>
      </td>
    </tr>
  );
}

interface LinksProps {
  links: readonly PublicLink[];
  end: (link: PublicLink) => void;
}

function Links({ links, end }: LinksProps) {
  const [now] = useState(() => Date.now());
  return (
    <table className="stacking public-links" data-testid="public-links">
      <thead>
        <tr>
          <th>Link</th>
          <th>Last used</th>
          <th>Expires</th>
          <th aria-label="Actions" />
        </tr>
      </thead>
      <tbody>
        {links.map((link) => (
          <Row key={link.id} link={link} now={now} end={() => end(link)} />
        ))}
      </tbody>
    </table>
  );
}

function NewLink({ make }: { make: (name: string, days: number | null) => void }) {
  const [name, setName] = useState("");
  const [days, setDays] = useState<number | null>(90);
  const send = (event: FormEvent) => {
    event.preventDefault();
    make(name.trim() === "" ? "Public link" : name.trim(), days);
    setName("");
  };
  return (
    <form className="new-link" onSubmit={send}>
      <div className="field grow">
        <label htmlFor="link-name">Name</label>
        <input
          id="link-name"
          data-testid="link-name"
          value={name}
          maxLength={100}
          placeholder="wall in the hall"
          onChange={(event) => setName(event.target.value)}
        />
      </div>
      <div className="field">
        <label htmlFor="link-days">Expires after</label>
        <select id="link-days" value={days ?? ""} onChange={(event) => setDays(toDays(event.target.value))}>
          {LIFETIMES.map(([many, words]) => (
            <option key={words} value={many ?? ""}>
              {words}
            </option>
          ))}
        </select>
      </div>
      <button type="submit" className="primary" data-testid="make-link">
        Create link
      </button>
    </form>
  );
}

/** The links that show a dashboard to whoever has them. */
export function PublicLinksDialog({ board, close }: { board: number; close: () => void }) {
  const { value: links, failure, again } = useLoaded(useCallback(() => api.publicLinks(board), [board]));
  const [made, setMade] = useState<MadePublicLink | null>(null);
  const [refusal, setRefusal] = useState<string | null>(null);
  const act = (work: Promise<MadePublicLink | null>) =>
    work.then(
      (link) => {
        setMade(link);
        setRefusal(null);
        again();
      },
      (error: unknown) => setRefusal(describeError(error)),
    );
  return (
    <Dialog title="Public links" close={close}>
      <p>
        Anyone who has a public link sees this dashboard live without a login: its charts as you may view
        them, and nothing else.
      </p>
      <Failure words={refusal ?? failure} />
      {made && <MadeLink link={made} />}
      {!links && failure === null && <Loading what="the links" />}
      {links && links.length > 0 && (
        <Links links={links} end={(link) => void act(api.endPublicLink(board, link.id))} />
      )}
      <NewLink make={(name, days) => void act(api.makePublicLink(board, { name, days }))} />
      <div className="row">
        <button type="button" onClick={close}>
          Close
        </button>
      </div>
    </Dialog>
  );
}
