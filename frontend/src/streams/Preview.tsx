import type { Guessed, RefusedLine } from "../core/api/streams";
import { Quantiles } from "./Quantiles";
import { EventTable } from "./EventTable";
import { describeSample, describeRejectedRows } from "./sampleSummary";

function Refused({ lines, all, words }: { lines: readonly RefusedLine[]; all: number; words: string }) {
  return (
    <div className="refused" data-testid="sample-refused">
      <p className="bad">{words}</p>
      <div className="scroll" role="region" aria-label="Lines that would be rejected" tabIndex={0}>
        <table className="events">
          <thead>
            <tr>
              <th className="number">Line</th>
              <th>Why</th>
              <th>Raw event</th>
            </tr>
          </thead>
          <tbody>
            {lines.map((line, place) => (
              <tr key={place}>
                <td className="number">{line.line}</td>
                <td>{line.message}</td>
                <td className="code cut">{line.text}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {all > lines.length && <p className="faint">Showing the first {lines.length}.</p>}
    </div>
  );
}

function Lateness({ lateness }: { lateness: NonNullable<Guessed["lateness"]> }) {
  return (
    <div data-testid="sample-lateness">
      <h3>Lateness</h3>
      <p>{lateness.words}</p>
      {lateness.unordered > 0 && !lateness.newest_first && (
        <Quantiles quantiles={lateness.quantiles} allowed={null} />
      )}
    </div>
  );
}

function Warnings({ warnings }: Pick<Guessed, "warnings">) {
  if (warnings.length === 0) return null;
  return (
    <ul data-testid="sample-warnings" aria-label="Warnings">
      {warnings.map(({ code, message, hint }) => (
        <li key={code}>
          <span className="dot amber" aria-hidden="true" /> {message}; {hint}.
        </li>
      ))}
    </ul>
  );
}

interface Props {
  guessed: Guessed;
  names: { key: string; time: string; id: string | null };
}

/** The sample as the stream would have it. */
export function Preview({ guessed, names }: Props) {
  const { read, refused } = guessed;
  return (
    <section className="card preview" aria-label="The sample" data-testid="preview">
      <h2>The sample, as events</h2>
      <p data-testid="sample-read">{describeSample(guessed)}</p>
      {read.length > 0 ? (
        <EventTable events={read} names={names} label="The first events" />
      ) : (
        <p className="bad">
          {names.key === "" || names.time === ""
            ? "Choose the key field and the time field."
            : "No valid events with these settings."}
        </p>
      )}
      {refused > 0 && (
        <Refused lines={guessed.refused_lines} all={refused} words={describeRejectedRows(guessed)} />
      )}
      <Warnings warnings={guessed.warnings} />
      {guessed.lateness && guessed.lateness.events > 1 && <Lateness lateness={guessed.lateness} />}
    </section>
  );
}
