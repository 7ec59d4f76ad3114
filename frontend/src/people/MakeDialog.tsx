import { useState, type FormEvent } from "react";
import { api, describeError, type MadeToken, type Scope } from "../core/api/client";
import { Dialog } from "../core/ui/Dialog";
import { refusesToken, LIFETIMES, SCOPES } from "./tokenWords";
import { DialogFoot } from "../core/ui/DialogFoot";

interface ScopesProps {
  chosen: readonly Scope[];
  toggle: (scope: Scope) => void;
}

function Scopes({ chosen, toggle }: ScopesProps) {
  return (
    <fieldset className="scopes">
      <legend>Scopes</legend>
      {SCOPES.map(([scope, title, words]) => (
        <label key={scope} className="check">
          <input
            type="checkbox"
            checked={chosen.includes(scope)}
            data-testid={`scope-${scope}`}
            onChange={() => toggle(scope)}
          />
          <span>
            {title} <span className="faint">{words}</span>
          </span>
        </label>
      ))}
    </fieldset>
  );
}

function Lifetime({ days, choose }: { days: number; choose: (days: number) => void }) {
  return (
    <div className="field">
      <label htmlFor="token-days">Expires after</label>
      <select
        id="token-days"
        data-testid="token-days"
        value={days}
        onChange={(event) => choose(Number(event.target.value))}
      >
        {LIFETIMES.map(([many, words]) => (
          <option key={many} value={many}>
            {words}
          </option>
        ))}
      </select>
    </div>
  );
}

interface Props {
  made: (token: MadeToken) => void;
  close: () => void;
}

/** A name, what it may do, and for how long. */
export function MakeDialog({ made, close }: Props) {
  const [name, setName] = useState("");
  const [scopes, setScopes] = useState<Scope[]>(["read"]);
  const [days, setDays] = useState(90);
  const [failure, setFailure] = useState<string | null>(null);
  const toggle = (scope: Scope) =>
    setScopes(scopes.includes(scope) ? scopes.filter((one) => one !== scope) : [...scopes, scope]);
  const [password, setPassword] = useState("");
  const lack = refusesToken({ name, scopes, password });
  const make = (event: FormEvent) => {
    event.preventDefault();
    if (lack !== null) return setFailure(lack);
    api.makeToken({ name: name.trim(), scopes, days, password }).then(made, (error: unknown) => {
      setFailure(describeError(error));
    });
  };
  return (
    <Dialog title="New token" close={close}>
      <form className="token-form" onSubmit={make}>
        <div className="field">
          <label htmlFor="token-name">Name</label>
          <input
            id="token-name"
            data-testid="token-name"
            value={name}
            maxLength={100}
            autoFocus
            placeholder="nightly import"
            onChange={(event) => setName(event.target.value)}
          />
        </div>
        <Scopes chosen={scopes} toggle={toggle} />
        <Lifetime days={days} choose={setDays} />
        <div className="field">
          <label htmlFor="token-password">Your password</label>
          <input
            id="token-password"
            data-testid="token-password"
            type="password"
            autoComplete="current-password"
            value={password}
            onChange={(event) => setPassword(event.target.value)}
          />
        </div>
        <DialogFoot failure={failure} testid="make-token" close={close}>
          Create token
        </DialogFoot>
      </form>
    </Dialog>
  );
}
