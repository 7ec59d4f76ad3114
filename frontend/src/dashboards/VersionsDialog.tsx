import { useCallback } from "react";
import { api } from "../core/api/client";
import { Dialog } from "../core/ui/Dialog";
import { useLoaded } from "../core/ui/useLoaded";
import { formatMoment, microsOf } from "../core/time/format";
import { useBoard } from "./store";
import { Failure } from "../core/ui/Failure";

/** Every save, each with a link to what it was. */
export function VersionsDialog({ close }: { close: () => void }) {
  const id = useBoard((state) => state.board?.id ?? 0);
  const shown = useBoard((state) => state.board?.version);
  const { value, failure } = useLoaded(useCallback(() => api.dashboardVersions(id), [id]));
  return (
    <Dialog title="Versions" close={close}>
      <Failure words={failure} />
      <ul className="board-versions">
        {value?.map((one, i) => (
          <li key={one.version} aria-current={one.version === shown || undefined}>
            <a href={`/dashboards/${id}/${i === 0 ? "" : `?version=${one.version}`}`}>
              Version {one.version}
            </a>{" "}
            <span>{one.name}</span>{" "}
            <span className="faint">
              {one.saved_by ?? "a deleted user"}, {formatMoment(microsOf(one.saved_at))}
              {one.version === shown ? " · shown" : ""}
            </span>
          </li>
        ))}
      </ul>
      <button type="button" onClick={close}>
        Close
      </button>
    </Dialog>
  );
}
