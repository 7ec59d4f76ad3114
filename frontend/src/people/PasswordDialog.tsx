import { useState } from "react";
import { describeError } from "../core/api/client";
import { Dialog } from "../core/ui/Dialog";
import { DialogFoot } from "../core/ui/DialogFoot";
import { people, type OneTimePassword } from "../core/sharing/calls";

interface Props {
  name: string;
  made: (password: OneTimePassword) => void;
  close: () => void;
}

/** Asks what becomes of a person's tokens before the password is made anew. */
export function PasswordDialog({ name, made, close }: Props) {
  const [keepTokens, setKeepTokens] = useState(false);
  const [failure, setFailure] = useState<string | null>(null);
  const go = () =>
    people.password(name, keepTokens).then(made, (error: unknown) => setFailure(describeError(error)));
  return (
    <Dialog title={`A new password for ${name}?`} close={close}>
      <p>{name} is logged out everywhere and sets a new password at the next login.</p>
      <label className="check">
        <input
          type="checkbox"
          data-testid="keep-tokens"
          checked={keepTokens}
          onChange={() => setKeepTokens(!keepTokens)}
        />
        <span>
          Keep the tokens of {name} <span className="faint">else they end with the old password</span>
        </span>
      </label>
      <DialogFoot failure={failure} go={() => void go()} testid="make-password" close={close}>
        Create password
      </DialogFoot>
    </Dialog>
  );
}
