import { useState } from "react";
import { describeError } from "../core/api/client";
import type { Me } from "../core/api/types";
import { people, type MadePerson, type Person, type Role } from "../core/sharing/calls";
import { MakeDialog, RoleChoice } from "./MakePerson";
import { OneTimePasswordCard } from "./OneTimePasswordCard";
import { PasswordDialog } from "./PasswordDialog";
import { TeamsCard } from "./TeamsCard";
import { TransferDialog } from "../core/sharing/TransferDialog";
import { ListFoot, NameSearch } from "../core/search/ListTools";
import { listOf, useListing } from "../core/search/useListing";
import { useDebounced } from "../core/search/useDebounced";
import { DeleteDialog } from "../core/ui/DeleteDialog";
import { NotAvailable } from "../core/ui/NotAvailable";
import { Header } from "../core/shell/Header";
import { Loading } from "../core/ui/Loading";
import { Menu } from "../core/ui/Menu";
import { useTitle } from "../core/ui/useTitle";
import { Ago } from "../core/ui/Ago";
import "../core/sharing/people.css";
import { Failure } from "../core/ui/Failure";

/** 2 plans, 1 stream; nothing. */
function ownsInWords(owns: Person["owns"]): string {
  const told = Object.entries(owns ?? {}).filter(([, many]) => many > 0);
  return told.map(([kind, many]) => `${many} ${kind}${many === 1 ? "" : "s"}`).join(", ") || "nothing";
}

const many = (owns: Person["owns"]): number => Object.values(owns ?? {}).reduce((sum, one) => sum + one, 0);

/** A page of them. */
const MOST = 200;

type Wish = "transfer" | "delete" | "password" | "active";

interface RowProps {
  person: Person;
  mine: boolean;
  now: number;
  give: (role: Role) => void;
  wish: (wish: Wish) => void;
}

function Row({ person, mine, now, give, wish }: RowProps) {
  const { name, active, owns } = person;
  const own = mine ? "Not yourself" : undefined;
  const item = (id: Wish, title: string, hint?: string, disabled = false) => ({
    id: `person-${id}`,
    title,
    hint,
    disabled,
    act: () => wish(id),
  });
  const items = [
    item("transfer", "Change owner of all…", many(owns) === 0 ? "Owns nothing" : undefined, many(owns) === 0),
    item("password", "New password…", own ?? "A one-time password", mine),
    item("active", active ? "Deactivate" : "Reactivate", own, mine),
    item("delete", "Delete…", own, mine),
  ];
  return (
    <tr data-testid={`person-${name}`} className={active ? undefined : "faint"}>
      <td>
        {name}
        {!active && " (cannot log in)"}
        {person.must_change && <span className="faint"> has not set a password yet</span>}
      </td>
      <td data-of="Role">
        <RoleChoice id={`role-${name}`} value={person.role ?? "viewer"} set={give} />
      </td>
      <td data-of="Teams">{person.teams?.join(", ") || "none"}</td>
      <td data-of="Objects">{ownsInWords(owns)}</td>
      <td className="nowrap" data-of="Last seen">
        {mine ? "now" : person.last_login === null ? "never" : <Ago at={person.last_login} now={now} />}
      </td>
      <td>
        <Menu title="More" testid={`more-${name}`} groups={[items]} />
      </td>
    </tr>
  );
}

interface WishedProps {
  person: Person;
  wish: Wish;
  close: () => void;
  done: () => void;
  show: (shown: NewPassword) => void;
}

function Wished({ person, wish, close, done, show }: WishedProps) {
  const { name, owns } = person;
  const path = `/api/people/${encodeURIComponent(name)}/`;
  const owner = { kind: "person", name } as const;
  if (wish === "password")
    return (
      <PasswordDialog
        name={name}
        close={close}
        made={({ password, tokens_ended }) => {
          show({ name, password, tokensEnded: tokens_ended });
          done();
        }}
      />
    );
  if (wish === "transfer")
    return (
      <TransferDialog title={`Transfer all of ${name}`} path={path} owner={owner} close={close} done={done}>
        {`${ownsInWords(owns)} go to another owner at once.`}
      </TransferDialog>
    );
  if (many(owns) > 0)
    return (
      <TransferDialog
        title={`Delete “${name}”?`}
        path={path}
        owner={owner}
        act={{ title: "Transfer and delete", go: (to, reason) => people.remove(name, to, reason) }}
        close={close}
        done={done}
      >
        {`${name} owns ${ownsInWords(owns)}. Choose who gets it; then ${name} is deleted.`}
      </TransferDialog>
    );
  return (
    <DeleteDialog name={name} remove={() => people.remove(name, null, "")} done={done} close={close}>
      {name} owns nothing. What {name} did stays in the activity.
    </DeleteDialog>
  );
}

interface TableProps {
  persons: readonly Person[];
  me: Me;
  give: (person: Person, role: Role) => void;
  wish: (person: Person, wish: Wish) => void;
}

function Table({ persons, me, give, wish }: TableProps) {
  const [now] = useState(() => Date.now());
  return (
    <table className="stacking" data-testid="people">
      <thead>
        <tr>
          <th>Person</th>
          <th>Role</th>
          <th>Teams</th>
          <th>Objects</th>
          <th>Last seen</th>
          <th aria-label="Actions" />
        </tr>
      </thead>
      <tbody>
        {persons.map((person) => (
          <Row
            key={person.name}
            person={person}
            mine={person.name === me.username}
            now={now}
            give={(role) => give(person, role)}
            wish={(wanted) => wish(person, wanted)}
          />
        ))}
      </tbody>
    </table>
  );
}

interface NewPassword {
  name: string;
  password: string;
  tokensEnded?: number;
}

/** The persons, and what is done to them; what went wrong is told. */
function usePeople() {
  const [search, setSearch] = useState("");
  const asked = useDebounced(search.trim());
  const listing = useListing<Person>(listOf("/api/people/", { search: asked }, MOST));
  const { again } = listing;
  const [shown, setShown] = useState<NewPassword | null>(null);
  const [wished, setWished] = useState<{ person: Person; wish: Wish } | null>(null);
  const [failure, setFailure] = useState<string | null>(null);
  const then = (going: Promise<unknown>) => {
    setFailure(null);
    going.then(again, (error: unknown) => {
      setFailure(describeError(error));
      again();
    });
  };
  const wish = (person: Person, wanted: Wish) => {
    const { name, active } = person;
    if (wanted === "active") then(people.change(name, { active: !active }));
    else setWished({ person, wish: wanted });
  };
  const give = (person: Person, role: Role) => then(people.change(person.name, { role }));
  const away = listing.error === null ? null : describeError(listing.error);
  return {
    listing,
    search,
    setSearch,
    failure: failure ?? away,
    again,
    shown,
    setShown,
    wished,
    setWished,
    wish,
    give,
  };
}

function People({ me }: { me: Me }) {
  const { listing, search, setSearch, failure, again, shown, setShown, wished, setWished, wish, give } =
    usePeople();
  const [making, setMaking] = useState(false);
  const made = ({ name, password }: MadePerson) => {
    setMaking(false);
    setShown({ name, password });
    again();
  };
  const done = () => {
    setWished(null);
    again();
  };
  return (
    <>
      <div className="row spread">
        <h1>People</h1>
        <button type="button" className="primary" data-testid="new-person" onClick={() => setMaking(true)}>
          New user
        </button>
      </div>
      <Failure words={failure} />
      {shown && <OneTimePasswordCard {...shown} done={() => setShown(null)} />}
      <NameSearch what="people" search={search} setSearch={setSearch} />
      {listing.rows?.length === 0 && <p data-testid="no-person">No matching users.</p>}
      {listing.rows !== null && listing.rows.length > 0 && (
        <>
          <div className="list-table">
            <Table persons={listing.rows} me={me} give={give} wish={wish} />
          </div>
          <ListFoot what="persons" {...listing} many={listing.rows.length} />
        </>
      )}
      <TeamsCard />
      {making && <MakeDialog close={() => setMaking(false)} made={made} />}
      {wished && <Wished {...wished} close={() => setWished(null)} done={done} show={setShown} />}
    </>
  );
}

/** Who there is, who may do what, and whose things are; for administrators. */
export function PeoplePage({ me }: { me: Me | null }) {
  useTitle("People");
  const refused = me !== null && me.role !== "admin";
  return (
    <>
      <Header me={me} here="people" />
      {refused && (
        <NotAvailable title="People" words="Only administrators can manage users." link="/">
          All plans
        </NotAvailable>
      )}
      {me === null && <Loading what="who you are" page />}
      {me !== null && !refused && (
        <main className="page">
          <People me={me} />
        </main>
      )}
    </>
  );
}
