import { may } from "../core/api/rights";
import { useEffect, useState } from "react";
import { Dialog } from "../core/ui/Dialog";
import { Ago } from "../core/ui/Ago";
import { formatSize } from "../core/ui/format";
import { forget, loadSamples, rename } from "./actions";
import { set, useSamples } from "./store";
import { showSample } from "./tests";
import type { Sample } from "../core/api/samples";

const close = (): void => set({ dialog: null });

function Actions({ sample, mine }: { sample: Sample; mine: boolean }) {
  const show = () => {
    void showSample(sample.id);
    close();
  };
  return (
    <>
      <button type="button" onClick={show}>
        Show
      </button>{" "}
      <a className="button" href={`/api/samples/${sample.id}/events/`} download={`sample-${sample.id}.json`}>
        Download
      </a>{" "}
      {mine && (
        <button
          type="button"
          className="danger"
          disabled={sample.tests > 0}
          title={sample.tests > 0 ? "Tests use it" : undefined}
          aria-label={`Delete ${sample.name}`}
          onClick={() => void forget(sample.id)}
        >
          Delete
        </button>
      )}
    </>
  );
}

function Row({ sample, now }: { sample: Sample; now: number }) {
  const [name, setName] = useState(sample.name);
  const mine = may("edit", sample);
  const events = sample.streams.reduce((sum, one) => sum + one.events, 0);
  const bytes = sample.streams.reduce((sum, one) => sum + one.size, 0);
  const settle = () => {
    if (name.trim() !== "" && name !== sample.name) void rename(sample.id, name);
    else setName(sample.name);
  };
  return (
    <tr>
      <td>
        {mine ? (
          <input
            aria-label={`Name of ${sample.name}`}
            maxLength={200}
            value={name}
            onChange={(event) => setName(event.target.value)}
            onBlur={settle}
            onKeyDown={(event) => event.key === "Enter" && settle()}
          />
        ) : (
          sample.name
        )}
      </td>
      <td>{sample.owner}</td>
      <td>{sample.streams.map(({ stream }) => stream).join(", ")}</td>
      <td className="figures">{events.toLocaleString("en")}</td>
      <td className="figures">{formatSize(bytes)}</td>
      <td className="nowrap">
        <Ago at={sample.created_at} now={now} />
      </td>
      <td className="figures">{sample.tests}</td>
      <td className="nowrap">
        <Actions sample={sample} mine={mine} />
      </td>
    </tr>
  );
}

const HEADS = ["Name", "Owner", "Streams", "Events", "Size", "Created", "Tests"];

/** All samples: whose, how large, used by how many tests. */
export function ManageDialog() {
  const samples = useSamples((state) => state.samples);
  const [now] = useState(() => Date.now());
  useEffect(() => void loadSamples(), []);
  return (
    <Dialog title="Samples" close={close}>
      {samples.length === 0 && <p>None yet. Record the last events of a stream, or upload a file.</p>}
      {samples.length > 0 && (
        <div className="samples-table">
          <table>
            <thead>
              <tr>
                {HEADS.map((words) => (
                  <th key={words} scope="col">
                    {words}
                  </th>
                ))}
                <th scope="col">
                  <span className="visually-hidden">Actions</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {samples.map((sample) => (
                <Row key={sample.id} sample={sample} now={now} />
              ))}
            </tbody>
          </table>
        </div>
      )}
      <button type="button" onClick={close}>
        Close
      </button>
    </Dialog>
  );
}
