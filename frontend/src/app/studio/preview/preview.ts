/** What a plan that is drawn says of the newest events of its streams, as lanes. Pure. */
import { drawnKind, EMPTY, type Lane } from "../../../timechart/lane";
import type { Preview } from "../../../live/store";
import { piecesOf } from "../../../samples/answer";
import type { Evaluated, NodeAnswer } from "../../../core/api/samples";

function laneOf({ kind, points }: NodeAnswer): Lane {
  return { ...EMPTY, kind: drawnKind(kind), pieces: piecesOf(points), preview: true };
}

export function previewOf({ answers, keys, groups, events }: Evaluated): Preview {
  const lanes = Object.fromEntries(answers.map((answer) => [answer.node, laneOf(answer)]));
  return { lanes, keys, groups, events };
}
