import { useState, type FormEvent } from "react";
import { describeError } from "../core/api/client";
import { Dialog } from "../core/ui/Dialog";
import { people, type MadePerson, type Role } from "../core/sharing/calls";
import { DialogFoot } from "../core/ui/DialogFoot";

const ROLES: readonly [role: Role, words: string][] = [
  ["viewer", "views what is open to everyone or shared with them"],
  ["editor", "creates plans and runs their own"],
  ["operator", "views everything, runs and stops every plan"],
  ["admin", "has all permissions"],
];

/** Which role somebody has. */
export function RoleChoice({ id, value, set }: { id: string; value: Role; set: (role: Role) => void }) {
  return (
    <select
      id={id}
      aria-label={id === "role" ? undefined : `Role of ${id.slice(5)}`}
      value={value}
      onChange={(event) => set(event.target.value as Role)}
    >
      {ROLES.map(([role, words]) => (
        <option key={role} value={role} title={words}>
          {role}
        </option>
      ))}
    </select>
  );
}

/** A person is made, with a name and a role. */
export function MakeDialog({ made, close }: { made: (person: MadePerson) => void; close: () => void }) {
  const [name, setName] = useState("");
  const [role, setRole] = useState<Role>("editor");
  const [failure, setFailure] = useState<string | null>(null);
  const make = (event: FormEvent) => {
    event.preventDefault();
    if (name.trim() === "") return setFailure("Enter a username.");
    people.make(name.trim(), role).then(made, (error: unknown) => setFailure(describeError(error)));
  };
  return (
    <Dialog title="New user" close={close}>
      <form className="people-dialog" onSubmit={make}>
        <div className="field">
          <label htmlFor="person-name">Username</label>
          <input
            id="person-name"
            data-testid="person-name"
            maxLength={150}
            autoFocus
            value={name}
            onChange={(event) => setName(event.target.value)}
          />
        </div>
        <div className="field">
          <label htmlFor="role">Role</label>
          <RoleChoice id="role" value={role} set={setRole} />
          <span className="faint">{ROLES.find(([one]) => one === role)?.[1]}</span>
        </div>
        <DialogFoot failure={failure} testid="make-person" close={close}>
          Create user
        </DialogFoot>
      </form>
    </Dialog>
  );
}
