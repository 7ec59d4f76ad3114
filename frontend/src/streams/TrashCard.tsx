import { useState } from "react";
import { describeError } from "../core/api/client";
import { streamApi, type Trashed } from "../core/api/streams";
import { Failure } from "../core/ui/Failure";
import { formatMoment, microsOf } from "../core/time/format";
import { formatSize } from "../core/ui/format";
import { useLoaded } from "../core/ui/useLoaded";

const WAYS: Readonly<Record<Trashed["way"], string>> = { deleted: "deleted", emptied: "events removed" };

function Row({ gone, restore }: { gone: Trashed; restore: (gone: Trashed) => void }) {
  return (
    <tr data-testid={`trash-${gone.name}`}>
      <td>{gone.name}</td>
      <td className="nowrap">
        {WAYS[gone.way]} by {gone.by ?? "a deleted account"}
      </td>
      <td className="number">{gone.events.toLocaleString("en")}</td>
      <td className="number nowrap wide">{formatSize(gone.bytes)}</td>
      <td className="nowrap wide">{formatMoment(microsOf(gone.until))}</td>
      <td className="actions">
        <button type="button" aria-label={`Restore ${gone.name}`} onClick={() => restore(gone)}>
          Restore
        </button>
      </td>
    </tr>
  );
}

/** Deleted streams and removed events that can still be restored; nothing where there are none. */
export function TrashCard({ changed }: { changed: () => void }) {
  const { value: trash, failure, again } = useLoaded(streamApi.trash);
  const [refused, setRefused] = useState<string | null>(null);
  const restore = (gone: Trashed) => {
    setRefused(null);
    streamApi.restore(gone.id).then(
      () => {
        again();
        changed();
      },
      (error: unknown) => setRefused(describeError(error)),
    );
  };
  if (failure === null && !trash?.length) return null;
  return (
    <section className="card" data-testid="trash">
      <h2>Trash</h2>
      <Failure words={refused ?? failure} />
      <div className="scroll" role="region" aria-label="Trash" tabIndex={0}>
        <table>
          <thead>
            <tr>
              <th>Stream</th>
              <th>What happened</th>
              <th className="number">Events</th>
              <th className="number wide">Size</th>
              <th className="wide">Kept until</th>
              <th aria-label="Actions" />
            </tr>
          </thead>
          <tbody>
            {trash?.map((gone) => (
              <Row key={gone.id} gone={gone} restore={restore} />
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}
