/** The secret of a public link: it stands behind the `#` of the page's address, which browsers send to no server. */
const PAGE = "/public/";

/** Null on every other page. */
export function readPublicSecret(
  place: Pick<Location, "pathname" | "hash"> | null = typeof window === "undefined" ? null : window.location,
): string | null {
  return place?.pathname === PAGE ? place.hash.slice(1) : null;
}

export const isPublicPage = (): boolean => readPublicSecret() !== null;
