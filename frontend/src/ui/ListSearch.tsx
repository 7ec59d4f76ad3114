import { MINE } from "./search";

interface Props {
  /** Of what: plans, streams, dashboards. */
  what: string;
  search: string;
  setSearch: (search: string) => void;
}

/** Above a list: words of a name, or whose it is. */
export function ListSearch({ what, search, setSearch }: Props) {
  return (
    <div className="row">
      <input
        type="search"
        aria-label={`Search ${what}`}
        placeholder="Search, or owner:me"
        value={search}
        onChange={(event) => setSearch(event.target.value)}
      />
      <button
        type="button"
        aria-pressed={search === MINE}
        onClick={() => setSearch(search === MINE ? "" : MINE)}
      >
        Mine
      </button>
    </div>
  );
}
