import { useEffect } from "react";
import { refusesMaking } from "../api/rights";
import type { Me } from "../api/types";
import type { Place } from "../route";
import { SearchDialog } from "../search/SearchDialog";
import { listenToSlash, openSearch } from "../search/store";
import { TourButton } from "../tour/TourOffer";
import { AccountMenu } from "./AccountMenu";
import { RedisAway } from "./RedisAway";

interface Props {
  me: Me | null;
  here: Place;
}

const PLACES: readonly [place: Place, title: string, address: string][] = [
  ["plans", "Plans", "/"],
  ["dashboards", "Dashboards", "/dashboards/"],
  ["streams", "Streams", "/streams/"],
  ["nodes", "Nodes", "/nodes/"],
  ["audit", "Activity", "/audit/"],
];

/** Looks like the field that it opens. */
function SearchButton() {
  useEffect(listenToSlash, []);
  return (
    <button
      type="button"
      className="search-button"
      data-testid="search"
      aria-haspopup="dialog"
      aria-keyshortcuts="/"
      onClick={openSearch}
    >
      Search
      <kbd aria-hidden="true">/</kbd>
    </button>
  );
}

export function Header({ me, here }: Props) {
  return (
    <>
      <header className="masthead">
        <a className="brand" href="/">
          Timelines
        </a>
        <nav aria-label="Main">
          {PLACES.map(([place, title, address]) => (
            <a
              key={place}
              href={address}
              aria-current={
                here === place ? "page" : here === "studio" && place === "plans" ? "true" : undefined
              }
            >
              {title}
            </a>
          ))}
          <a href="/api/docs/">API</a>
          {me?.is_staff && <a href="/admin/">Admin</a>}
        </nav>
        <span className="spacer" />
        <div className="masthead-tools">
          <SearchButton />
          {refusesMaking(me) === null && <TourButton />}
          {me && <AccountMenu me={me} />}
        </div>
        <SearchDialog />
      </header>
      <RedisAway />
    </>
  );
}
