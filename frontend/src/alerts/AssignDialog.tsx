import { useState } from "react";
import { describeError } from "../core/api/client";
import { HolderSearch } from "../core/sharing/HolderSearch";
import { Dialog } from "../core/ui/Dialog";
import { Failure } from "../core/ui/Failure";
import { alertApi, type Incident } from "./calls";

interface Props {
  incident: Incident;
  close: () => void;
  done: () => void;
}

/** Choose who takes care of an incident. */
export function AssignDialog({ incident: { id, assignee }, close, done }: Props) {
  const [failure, setFailure] = useState<string | null>(null);
  const assign = (to: string | null) =>
    void alertApi.assign(id, to).then(done, (error: unknown) => setFailure(describeError(error)));
  const except = assignee === null ? [] : [{ kind: "person" as const, name: assignee }];
  return (
    <Dialog title="Assign the incident" close={close}>
      <div className="people-dialog">
        <HolderSearch label="To" except={except} personsOnly choose={({ name }) => assign(name)} />
        <Failure words={failure} testid="assign-failure" />
        <div className="row">
          {assignee !== null && (
            <button type="button" data-testid="unassign" onClick={() => assign(null)}>
              Assign to nobody
            </button>
          )}
          <button type="button" onClick={close}>
            Cancel
          </button>
        </div>
      </div>
    </Dialog>
  );
}
