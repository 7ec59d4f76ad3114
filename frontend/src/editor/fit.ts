/** How the canvas is fitted to what is drawn. */

export const LEAST = 0.1;
/** The tools at the left edge, pixels. */
export const TOOLS = 72;

// Room on the right for the overview, which a narrow canvas does not have (studio.css).
export const FIT = {
  maxZoom: 1,
  padding: { top: "6.5%", bottom: "6.5%", left: `${TOOLS}px`, right: "17%" },
} as const;
