import { may, refusesMaking } from "../core/api/rights";
import { useStudio } from "../plans/editor/store";
import { toggleTesting } from "./open";
import { Menu, type MenuItem } from "../core/ui/Menu";
import { chooseKey, stopRecording, zoom } from "./actions";
import { sampleOf, set, useSamples } from "./store";
import { showSample } from "./tests";
import type { Sample } from "../core/api/samples";
import { EVERYONE } from "../core/search/keySource";

const count = (n: number, one: string): string => `${n.toLocaleString("en")} ${one}${n === 1 ? "" : "s"}`;

function eventsIn(sample: Sample): number {
  return sample.streams.reduce((sum, { events }) => sum + events, 0);
}

interface KeysProps {
  what: "key" | "group";
  label: string;
  known: readonly string[];
}

const FEW = 200;

/** One of the keys; where there are very many, by typing. */
function Keys({ what, label, known }: KeysProps) {
  const value = useSamples((state) => state[what]);
  if (known.length === 0) return null;
  const list = `sample-${what}s`;
  return (
    <label className="labelled">
      <b>{label}</b>
      {known.length <= FEW ? (
        <select
          data-testid={`sample-${what}`}
          value={value}
          onChange={(event) => chooseKey(what, event.target.value)}
        >
          {known.map((one) => (
            <option key={one}>{one}</option>
          ))}
        </select>
      ) : (
        <>
          <input
            key={value}
            list={list}
            data-testid={`sample-${what}`}
            defaultValue={value}
            onChange={(event) => known.includes(event.target.value) && chooseKey(what, event.target.value)}
          />
          <datalist id={list}>
            {known.map((one) => (
              <option key={one}>{one}</option>
            ))}
          </datalist>
        </>
      )}
    </label>
  );
}

function Recording({ sample }: { sample: Sample }) {
  if (!sample.recording) return null;
  const wanted = sample.recording.count * sample.streams.length;
  return (
    <>
      <span className="nowrap" role="status" data-testid="recording">
        <span className="dot red" aria-hidden="true" /> recording: {eventsIn(sample)} of{" "}
        {count(wanted, "event")}
      </span>
      {may("edit", sample) && (
        <button type="button" onClick={() => void stopRecording()}>
          Stop recording
        </button>
      )}
    </>
  );
}

function useFacts(sample: Sample | undefined): string {
  const answer = useSamples((state) => state.answer);
  const evaluating = useSamples((state) => state.evaluating);
  if (!sample || sample.recording) return "";
  if (evaluating) return "computing …";
  const keys = answer === null ? "" : `, ${count(answer.key_count, "key")}`;
  const odd = answer?.mistyped ? `, ${count(answer.mistyped, "value")} of another type` : "";
  return `${count(eventsIn(sample), "event")}${keys}${odd}`;
}

const record = (): void => set({ dialog: "record" });
const manage = (): void => set({ dialog: "manage" });
const everything = (): void => zoom(null);

/** What else can be done, where there is little room. */
function More({ facts, zoomed }: { facts: string; zoomed: boolean }) {
  const looks = useStudio(({ me }) => refusesMaking(me));
  const all = { id: "more-everything", title: "Show everything", hint: "Reset zoom", act: everything };
  const items: MenuItem[] = [
    {
      id: "more-record",
      title: "Record or upload …",
      hint: looks ?? "New sample",
      disabled: looks !== null,
      act: record,
    },
    { id: "more-samples", title: "Samples …", hint: "Rename, share, delete", act: manage },
    ...(zoomed ? [all] : []),
  ];
  return (
    <span className="narrow">
      <Menu title="More" about={facts === "" ? undefined : facts} groups={[items]} testid="samples-more" />
    </span>
  );
}

function Chooser() {
  const samples = useSamples((state) => state.samples);
  const sample = useSamples((state) => state.sample);
  return (
    <label className="labelled">
      <b>Sample</b>
      <select
        className="sample-choice"
        data-testid="sample"
        value={sample ?? ""}
        onChange={(event) => void showSample(event.target.value === "" ? null : Number(event.target.value))}
      >
        <option value="">none</option>
        {samples.map(({ id, name, owner }) => (
          <option key={id} value={id} title={`of ${owner}`}>
            {name}
          </option>
        ))}
      </select>
    </label>
  );
}

export function Bar() {
  const sample = useSamples(sampleOf);
  const answer = useSamples((state) => state.answer);
  const zoomed = useSamples((state) => state.window !== null);
  const looks = useStudio(({ me }) => refusesMaking(me));
  const facts = useFacts(sample);
  return (
    <div className="lanes-toolbar">
      <Chooser />
      <button
        type="button"
        className="roomy"
        data-testid="record"
        disabled={looks !== null}
        title={looks ?? undefined}
        onClick={record}
      >
        Record or upload …
      </button>
      <button type="button" className="roomy" onClick={manage}>
        Samples …
      </button>
      <More facts={facts} zoomed={zoomed} />
      {answer && <Keys what="key" label="Key" known={answer.keys} />}
      {answer && !(answer.groups.length === 1 && answer.groups[0] === EVERYONE) && (
        <Keys what="group" label="Group" known={answer.groups} />
      )}
      {zoomed && (
        <button type="button" className="roomy" onClick={everything}>
          Show everything
        </button>
      )}
      {sample && <Recording sample={sample} />}
      <span className="spacer" />
      {facts !== "" && (
        <span className="faint roomy sample-facts" data-testid="sample-facts">
          {facts}
        </span>
      )}
      <button type="button" className="quiet" aria-label="Close samples and tests" onClick={toggleTesting}>
        ×
      </button>
    </div>
  );
}
