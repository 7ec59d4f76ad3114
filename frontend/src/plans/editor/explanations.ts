/** Beside the canvas there is room for one explanation: to open one closes the others. */
type Close = () => void;

const all = new Set<Close>();

export function registerExplanation(close: Close): void {
  all.add(close);
}

export function closeOtherExplanations(mine: Close): void {
  all.forEach((close) => close !== mine && close());
}
