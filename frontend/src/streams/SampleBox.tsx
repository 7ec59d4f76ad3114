import { useId, useState, type DragEvent, type ReactNode } from "react";
import { refusesSample, type Sample } from "./sample";
import { Failure } from "../core/ui/Failure";

interface Props {
  take: (sample: Sample) => void;
  byHand: () => void;
}

const EXAMPLE = `{"session_id": "s1", "t": 1719824400000, "event_id": "e1", "player_state": "play"}
{"session_id": "s1", "t": 1719824407000, "event_id": "e2", "player_state": "buffer"}`;

interface ActionsProps {
  look: (() => void) | null;
  file: (file: File | undefined) => void;
  byHand: () => void;
}

function Actions({ look, file, byHand }: ActionsProps) {
  return (
    <div className="row">
      <button
        type="button"
        className="primary"
        data-testid="look"
        disabled={look === null}
        onClick={() => look?.()}
      >
        Analyze
      </button>
      <label className="button file">
        Choose a file, or drop it here
        <input type="file" data-testid="sample-file" onChange={(event) => file(event.target.files?.[0])} />
      </label>
      <span className="spacer" />
      <button type="button" data-testid="by-hand" onClick={byHand}>
        Enter manually
      </button>
    </div>
  );
}

/** Takes what is dropped on it. */
function DropPlace({ file, children }: { file: (file: File | undefined) => void; children: ReactNode }) {
  const [over, setOver] = useState(false);
  const drop = (event: DragEvent) => {
    event.preventDefault();
    setOver(false);
    file(event.dataTransfer.files[0]);
  };
  const hover = (event: DragEvent) => {
    event.preventDefault();
    setOver(true);
  };
  return (
    <section
      className={`card sample-box${over ? " over" : ""}`}
      onDragOver={hover}
      onDragLeave={() => setOver(false)}
      onDrop={drop}
    >
      {children}
    </section>
  );
}

/** Where a sample is pasted, dropped or chosen. */
export function SampleBox({ take, byHand }: Props) {
  const [text, setText] = useState("");
  const [refusal, setRefusal] = useState<string | null>(null);
  const id = useId();
  const give = (sample: Sample) => {
    const why = refusesSample(sample);
    setRefusal(why);
    if (why === null) take(sample);
  };
  const file = (chosen: File | undefined) => chosen && give({ file: chosen.name, body: chosen });
  const look = () => give({ file: "", body: new Blob([text]) });
  return (
    <DropPlace file={file}>
      <h2>
        <label htmlFor={id}>Sample events</label>
      </h2>
      <p>
        JSON, CSV, Parquet, Arrow or Avro, also compressed. Field names and types are detected, and you can
        change them. Nothing is stored until you declare the stream.
      </p>
      <textarea
        id={id}
        className="code"
        data-testid="sample"
        rows={10}
        spellCheck={false}
        placeholder={EXAMPLE}
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
      <Failure words={refusal} />
      <Actions look={text.trim() === "" ? null : look} file={file} byHand={byHand} />
    </DropPlace>
  );
}
