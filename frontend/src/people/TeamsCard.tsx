import { useState, type FormEvent } from "react";
import { describeError } from "../core/api/client";
import { ListFoot, NameSearch } from "../core/search/ListTools";
import { listOf, useListing } from "../core/search/useListing";
import { useDebounced } from "../core/search/useDebounced";
import { DeleteDialog } from "../core/ui/DeleteDialog";
import { Dialog } from "../core/ui/Dialog";
import { people, type Team } from "../core/sharing/calls";
import { HolderSearch } from "../core/sharing/HolderSearch";
import { Failure } from "../core/ui/Failure";
import { DialogFoot } from "../core/ui/DialogFoot";

function MembersDialog({ team, close, done }: { team: Team; close: () => void; done: () => void }) {
  const [members, setMembers] = useState(team.members);
  const [failure, setFailure] = useState<string | null>(null);
  const save = () =>
    people.changeTeam(team.name, members).then(done, (error: unknown) => setFailure(describeError(error)));
  return (
    <Dialog title={`Members of ${team.name}`} close={close}>
      <div className="people-dialog">
        <ul>
          {members.map((name) => (
            <li key={name} className="row spread">
              {name}
              <button
                type="button"
                className="quiet"
                aria-label={`Remove ${name}`}
                onClick={() => setMembers(members.filter((member) => member !== name))}
              >
                Remove
              </button>
            </li>
          ))}
        </ul>
        <HolderSearch
          label="Add a person"
          except={members.map((name) => ({ kind: "person", name }))}
          personsOnly
          choose={({ name }) => setMembers([...members, name])}
        />
        <DialogFoot failure={failure} go={() => void save()} testid="members-save" close={close}>
          Save
        </DialogFoot>
      </div>
    </Dialog>
  );
}

function Row({ team, open, end }: { team: Team; open: () => void; end: () => void }) {
  return (
    <li className="row spread">
      <span>
        <b>{team.name}</b> <span className="faint">{team.members.join(", ") || "nobody"}</span>
      </span>
      <span className="row">
        <button type="button" aria-label={`Members of ${team.name}`} onClick={open}>
          Members
        </button>
        <button type="button" className="quiet" aria-label={`Delete ${team.name}`} onClick={end}>
          Delete
        </button>
      </span>
    </li>
  );
}

function NewTeam({ made, failed }: { made: () => void; failed: (words: string | null) => void }) {
  const [name, setName] = useState("");
  const make = (event: FormEvent) => {
    event.preventDefault();
    failed(null);
    people.makeTeam(name.trim()).then(
      () => {
        setName("");
        made();
      },
      (error: unknown) => failed(describeError(error)),
    );
  };
  return (
    <form className="row" onSubmit={make}>
      <input
        aria-label="Name of the new team"
        placeholder="Name of the new team"
        data-testid="team-name"
        maxLength={150}
        value={name}
        onChange={(event) => setName(event.target.value)}
      />
      <button type="submit" disabled={name.trim() === ""}>
        Create team
      </button>
    </form>
  );
}

/** Teams: what belongs to one belongs to each of its members. */
export function TeamsCard() {
  const [search, setSearch] = useState("");
  const listing = useListing<Team>(listOf("/api/teams/", { search: useDebounced(search.trim()) }, 200));
  const { rows, next, error, again } = listing;
  const away = error === null ? null : describeError(error);
  const [failure, setFailure] = useState<string | null>(null);
  const [open, setOpen] = useState<Team | null>(null);
  const [ending, setEnding] = useState<Team | null>(null);
  const done = () => {
    setOpen(null);
    setEnding(null);
    again();
  };
  return (
    <section className="card" data-testid="teams">
      <h2>Teams</h2>
      <p className="faint">Members of a team have access to what the team owns and what is shared with it.</p>
      <Failure words={failure ?? away} />
      {(search !== "" || next !== null) && <NameSearch what="teams" search={search} setSearch={setSearch} />}
      <ul>
        {rows?.map((team) => (
          <Row key={team.name} team={team} open={() => setOpen(team)} end={() => setEnding(team)} />
        ))}
      </ul>
      {rows !== null && next !== null && <ListFoot what="teams" {...listing} many={rows.length} />}
      <NewTeam made={again} failed={setFailure} />
      {open && <MembersDialog team={open} close={() => setOpen(null)} done={done} />}
      {ending && (
        <DeleteDialog
          name={ending.name}
          remove={() => people.removeTeam(ending.name)}
          done={done}
          close={() => setEnding(null)}
        >
          Its shares end. Its members keep their accounts.
        </DeleteDialog>
      )}
    </section>
  );
}
