/** The type of charts, as that of the page (`--sans`). */
export const FONT = '"Inter Variable", system-ui, sans-serif';
