/** Which value has which colour in the charts of a timeline: the same for all that show the same. */
import type { LeftOut, Scalar } from "../core/api/types";
import { LIGHT, Register } from "./colours";
import type { Piece } from "./pieces";
import { AS_GUESSED, type Display } from "./display";

const SIZE = LIGHT.values.length;
const held = new WeakMap<readonly Piece[], { leftOut: readonly LeftOut[]; register: Register }>();

export const registerOfValues = (
  values: Iterable<Scalar | null | undefined>,
  display: Display = AS_GUESSED,
): Register => new Register(SIZE, values, display);

function* valuesIn(pieces: readonly Piece[], leftOut: readonly LeftOut[]) {
  for (const { value } of pieces) yield value;
  for (const { shares = [] } of leftOut) for (const [value] of shares) yield value;
}

export function registerOf(
  pieces: readonly Piece[],
  leftOut: readonly LeftOut[],
  display: Display = AS_GUESSED,
): Register {
  const known = held.get(pieces);
  if (known?.leftOut === leftOut && known.register.display === display) return known.register;
  const register = registerOfValues(valuesIn(pieces, leftOut), display);
  held.set(pieces, { leftOut, register });
  return register;
}
