import type { ReactNode } from "react";
import type { Me } from "../api/types";
import { Failure } from "../ui/Failure";
import { Header } from "./Header";
import { Loading } from "../ui/Loading";
import { SelectedRowsBar, useRowSelection, type RowCheckboxes, type Owned } from "../search/SelectedRows";
import type { Kind } from "../search/language";
import { ListFoot, ListTools, EmptyListText } from "../search/ListTools";
import { describeOtherError, wrongOf } from "../search/problems";
import type { PagedListing } from "../search/useListing";
import type { Query } from "../search/useQuery";

interface Props<T> {
  me: Me | null;
  kind: Kind;
  query: Query;
  listing: PagedListing<T>;
  /** What is begun anew here. */
  buttons: ReactNode;
  /** Said where there is nothing at all. */
  empty: ReactNode;
  /** Between the heading and the list. */
  above?: ReactNode;
  table: (rows: readonly T[], boxes: RowCheckboxes<T>) => ReactNode;
  idOf: (row: T) => string;
  nameOf: (row: T) => string;
  children?: ReactNode;
}

/** A page with a list of one kind: searched and paged by the server. */
export function ListPage<T extends Owned>(props: Props<T>) {
  const { me, kind, query, listing, buttons, empty, above, table, idOf, nameOf, children } = props;
  const { rows, next, error, busy, more, again } = listing;
  const choosing = useRowSelection({ kind, asked: listing.address ?? "", rows: rows ?? [], idOf, nameOf });
  const what = `${kind}s`;
  const wrong = wrongOf(query.asked, error);
  const none = rows?.length === 0 && error === null;
  return (
    <>
      <Header me={me} here={what as "plans"} />
      <main className="page">
        <div className="row spread">
          <h1>{`${what[0]?.toUpperCase() ?? ""}${what.slice(1)}`}</h1>
          <div className="row">{buttons}</div>
        </div>
        <Failure words={describeOtherError(query.asked, error)} />
        {above}
        {none && query.asked === "" ? empty : <ListTools kind={kind} query={query} wrong={wrong} />}
        {rows === null && error === null && <Loading what={what} />}
        {none && query.asked !== "" && <EmptyListText what={what} query={query} />}
        {rows !== null && rows.length > 0 && wrong === null && (
          <>
            <SelectedRowsBar choosing={choosing} q={query.asked} more={next !== null} changed={again} />
            <div className="list-table" aria-busy={busy}>
              {table(rows, choosing.boxes)}
            </div>
            <ListFoot what={what} many={rows.length} next={next} busy={busy} more={more} />
          </>
        )}
        {children}
      </main>
    </>
  );
}
