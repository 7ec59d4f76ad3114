/** Where something stands on the canvas: from the left, from the top. */
export type Position = [number, number];
