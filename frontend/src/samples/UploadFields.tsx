import { useState } from "react";
import type { Upload } from "../core/api/samples";
import type { GivenRule, StatedDeclaration } from "../core/api/streams";
import { useStudio } from "../plans/editor/store";
import { mappingOf, type RuleRow } from "../streams/mapping";
import { ComparedEvents, MappingTable } from "../streams/MappingTable";
import type { Sample } from "../streams/sample";
import { useGuess } from "../streams/useGuess";

interface Props {
  stream: string;
  choose: (stream: string, upload: Upload | null) => void;
}

const ignore = (): void => undefined;

/** Chooses a file with events of a stream; shows its first events before and after the rules that are written. */
export function UploadField({ stream, choose }: Props) {
  const declared = useStudio((state) => state.streams.get(stream)) as StatedDeclaration | undefined;
  const [sample, setSample] = useState<(Sample & { body: File }) | null>(null);
  const [rows, setRows] = useState<readonly RuleRow[]>([]);
  const rules = mappingOf(rows);
  const { guessed, failure } = useGuess(rules.length > 0 ? sample : null, declared ?? {}, rules, ignore);
  const set = (file: File | undefined, mapping: readonly GivenRule[]) =>
    choose(stream, file ? { file, mapping } : null);
  const take = (file: File | undefined) => {
    setSample(file ? { file: file.name, body: file } : null);
    set(file, rules);
  };
  const change = (changed: readonly RuleRow[]) => {
    setRows(changed);
    set(sample?.body, mappingOf(changed));
  };
  return (
    <div className="field">
      <label htmlFor={`file-${stream}`}>Events of {stream}</label>
      <input id={`file-${stream}`} type="file" onChange={(event) => take(event.target.files?.[0])} />
      {sample && <MappingTable rows={rows} change={change} />}
      {failure && <p className="bad">{failure}</p>}
      {guessed && <ComparedEvents events={guessed.compared} />}
    </div>
  );
}
