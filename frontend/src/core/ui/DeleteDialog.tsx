import { useState, type ReactNode } from "react";
import { describeError } from "../api/client";
import { Dialog } from "./Dialog";
import { DialogFoot } from "./DialogFoot";

interface Props {
  name: string;
  /** What deleting is called here. */
  verb?: string;
  /** What deleting it means. */
  children: ReactNode;
  remove: () => Promise<unknown>;
  done: () => void;
  close: () => void;
}

/** Asks before something is deleted for good. */
export function DeleteDialog({ name, verb = "Delete", children, remove, done, close }: Props) {
  const [failure, setFailure] = useState<string | null>(null);
  const go = () => remove().then(done, (error: unknown) => setFailure(describeError(error)));
  return (
    <Dialog title={`${verb} “${name}”?`} close={close}>
      <p>{children}</p>
      <DialogFoot failure={failure} go={() => void go()} danger close={close} leave="Cancel">
        {verb}
      </DialogFoot>
    </Dialog>
  );
}
