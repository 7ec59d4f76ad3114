import {
  Activity,
  BellRing,
  Boxes,
  Braces,
  LayoutDashboard,
  Radio,
  Search,
  ShieldCheck,
  Workflow,
  type LucideIcon,
} from "lucide-react";
import { lazy, Suspense, useEffect } from "react";
import { refusesMaking } from "../api/rights";
import type { Me } from "../api/types";
import type { Place } from "./route";
import { SearchDialog } from "../search/SearchDialog";
import { listenToSlash, openSearch } from "../search/store";
import { TourButton } from "../tour/TourOffer";
import { AccountMenu } from "./AccountMenu";
import { RedisAway } from "../ui/RedisAway";

// With it comes the connection, which lists need only for the bell.
const AlertBell = lazy(() => import("./AlertBell"));

interface Props {
  me: Me | null;
  here: Place;
}

const PLACES: readonly [place: Place, title: string, address: string, icon: LucideIcon][] = [
  ["plans", "Plans", "/", Workflow],
  ["dashboards", "Dashboards", "/dashboards/", LayoutDashboard],
  ["streams", "Streams", "/streams/", Radio],
  ["nodes", "Nodes", "/nodes/", Boxes],
  ["alerts", "Alerts", "/alerts/", BellRing],
  ["audit", "Activity", "/audit/", Activity],
];

/** The sign of the product: three timelines. */
function Mark() {
  return (
    <svg viewBox="0 0 40 40" width="24" height="24" aria-hidden="true">
      <rect width="40" height="40" rx="9" fill="currentColor" />
      <g className="mark-lines" fill="none" strokeWidth="3" strokeLinecap="round" strokeLinejoin="round">
        <path d="M8 13h8v-3h9v3h7" />
        <path d="M8 21h5m5 0h14" strokeOpacity=".75" />
        <path d="M8 31h7l9-5h8" />
      </g>
    </svg>
  );
}

/** Looks like the field that it opens. */
function SearchButton() {
  useEffect(listenToSlash, []);
  return (
    <button
      type="button"
      className="search-button"
      data-testid="search"
      aria-label="Search"
      aria-haspopup="dialog"
      aria-keyshortcuts="/"
      onClick={openSearch}
    >
      <Search size={14} />
      <span>Search</span>
      <kbd aria-hidden="true">/</kbd>
    </button>
  );
}

export function Header({ me, here }: Props) {
  return (
    <>
      <header className="masthead">
        <a className="brand" href="/">
          <Mark />
          Timelines
        </a>
        <nav aria-label="Main">
          {PLACES.map(([place, title, address, Picture]) => (
            <a
              key={place}
              href={address}
              aria-current={
                here === place ? "page" : here === "studio" && place === "plans" ? "true" : undefined
              }
            >
              <Picture size={16} />
              {title}
            </a>
          ))}
          <a href="/api/docs/">
            <Braces size={16} />
            API
          </a>
          {me?.is_staff && (
            <a href="/operations/" aria-current={here === "operations" ? "page" : undefined}>
              <ShieldCheck size={16} />
              Operations
            </a>
          )}
        </nav>
        <span className="spacer" />
        <div className="masthead-tools">
          <SearchButton />
          {refusesMaking(me) === null && <TourButton />}
          {me && (
            <Suspense fallback={null}>
              <AlertBell />
            </Suspense>
          )}
          {me && <AccountMenu me={me} />}
        </div>
        <SearchDialog />
      </header>
      <RedisAway />
    </>
  );
}
