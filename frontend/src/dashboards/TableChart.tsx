import { useCallback, useRef } from "react";
import { isPublicPage } from "../core/api/publicLink";
import { swatchOf, hasSwatch } from "../timechart/colours";
import { registerOfValues } from "../timechart/colourRegister";
import { readingAt } from "../timechart/spans";
import { knownUntil, nowOf } from "./clock";
import type { RankFeed } from "./feeds";
import { useFollow, useLive, useSeen, useTheme } from "./hooks";
import { Empty, useRank, type ManyProps } from "./ranks";
import { numberAt, sortByNumber } from "./series";
import { Sparkline } from "./Sparkline";
import { get, choose, sourceId, useBoard, type BoardState } from "./store";
import { spellValue } from "./words";
import { useDisplay } from "../timechart/displays";

/** That of a ranking, which tells nothing of what the pointer passes over. */
const rankedAt = (state: BoardState, rank: RankFeed): number =>
  Math.min(state.view.cursor ?? state.view.fixed?.end ?? Infinity, knownUntil([rank], nowOf(state)));

interface TableRow {
  key: string;
  words: string;
  share: number;
  colour: string | null;
}

/** The rows as they are told now. */
function useRows(rank: RankFeed, unit: string, digest: string): { rows: TableRow[]; foot: string } {
  const theme = useTheme();
  const display = useDisplay(digest);
  return useLive(
    useCallback((): { rows: TableRow[]; foot: string } => {
      const { rows: ranking, ranked, total, kind } = rank.state;
      const at = rankedAt(get(), rank);
      const found = sortByNumber(ranking, at, rank.question.order);
      const numbers = found.map((row) => numberAt(row.pieces, at) ?? 0);
      const most = Math.max(0, ...numbers.map(Math.abs));
      const steady = numbers.some((number) => !Number.isInteger(number));
      const values = found.flatMap(({ pieces }) => pieces.map((piece) => piece.value));
      const register = registerOfValues(values, display);
      const told = found.map(({ key, pieces }): TableRow => {
        const value = readingAt(pieces, at)?.value ?? null;
        const share = typeof value === "number" && most > 0 ? Math.abs(value) / most : 0;
        const colour = hasSwatch(kind, value, display) ? swatchOf(value, theme, register) : null;
        return { key, words: spellValue(value, unit, steady, display), share, colour };
      });
      const all = total.toLocaleString("en");
      const some = ranked < total ? `of the ${ranked.toLocaleString("en")} newest of ${all}` : `of ${all}`;
      return { rows: told, foot: total > found.length ? `${found.length} ${some}` : "" };
    }, [rank, theme, unit, display]),
  );
}

/** A public link shows the keys that the dashboard was saved with: another one cannot be chosen. */
function KeyName({ name, grouped }: { name: string; grouped: boolean }) {
  if (isPublicPage()) return <span className="table-key">{name}</span>;
  return (
    <button
      type="button"
      className="quiet"
      title={`Show ${name} in all charts`}
      onClick={() => choose(grouped, name)}
    >
      {name}
    </button>
  );
}

export function TableChart(props: ManyProps) {
  const { chart, digest } = props;
  const place = useRef<HTMLDivElement>(null);
  const seen = useSeen(place);
  const [rank, ranks] = useRank(props);
  useFollow(ranks, seen);
  const grouped = useBoard((state) => state.sources[sourceId(chart)]?.grouped ?? false);
  const chosen = useBoard((state) => (grouped ? state.view.groups : state.view.keys)?.[0]);
  const unit = chart.unit ?? "";
  const { rows, foot } = useRows(rank, unit, props.digest);
  return (
    <div
      className={chart.type === "bars" ? "table-chart bars-chart" : "table-chart"}
      ref={place}
      tabIndex={0}
      role="region"
      aria-label={`Keys of ${chart.node}`}
    >
      <table>
        <tbody>
          {rows.map(({ key, words, share, colour }) => (
            <tr key={key} aria-selected={key === chosen}>
              <th scope="row">
                <KeyName name={key} grouped={grouped} />
              </th>
              {chart.sparkline === true && (
                <td className="table-spark">
                  <Sparkline digest={digest} name={key} />
                </td>
              )}
              <td>
                {colour === null ? (
                  <span className="table-bar" style={{ width: `${Math.round(share * 100)}%` }} />
                ) : (
                  <span className="swatch" style={{ background: colour }} aria-hidden="true" />
                )}
                <span className="table-value">{words}</span>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {foot !== "" && <p className="table-foot faint">{foot}</p>}
      <Empty feed={rank} />
    </div>
  );
}
