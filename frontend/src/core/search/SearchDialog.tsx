import { useEffect, useId, useRef, type KeyboardEvent } from "react";
import { Failure } from "../ui/Failure";
import { useModal } from "../ui/useModal";
import "./search.css";
import { ComboField } from "./ComboField";
import { formatCounts } from "./results";
import { Help } from "./Help";
import { Options } from "./Options";
import { moved, type Option } from "./options";
import { Problems } from "./Problems";
import { closeSearch, useSearch } from "./store";
import { useSearchResults, type SearchResults } from "./useSearchResults";

function statusOf({ groups, problems, failure, busy, asked }: SearchResults): string {
  if (problems !== null || failure !== null) return "";
  if (groups === null) return busy ? "Searching." : "";
  if (asked === "") return "Recently changed.";
  return formatCounts(groups);
}

/** What is wrong, or that nothing was found. */
function Said({ id, finding }: { id: string; finding: SearchResults }) {
  const { groups, problems, failure, asked } = finding;
  if (problems !== null) return <Problems id={`${id}-wrong`} wrong={problems} />;
  if (failure !== null) return <Failure words={failure} />;
  if (groups?.length !== 0) return null;
  return asked === "" ? (
    <p>Nothing to show yet.</p>
  ) : (
    <p data-testid="search-nothing">
      No results for <span className="code">{asked}</span>. The search does not cover what is not shared with
      you; its owner can share it.
    </p>
  );
}

function leave(option: Option, elsewhere: boolean): void {
  if (!("href" in option)) return;
  if (elsewhere) window.open(option.href, "_blank", "noopener");
  else window.location.assign(option.href);
  closeSearch();
}

function Foot({ finding }: { finding: SearchResults }) {
  return (
    <p className="search-foot faint">
      <span role="status" data-testid="search-status">
        {statusOf(finding)}
      </span>
      <span>
        <kbd>↑</kbd> <kbd>↓</kbd> choose · <kbd>Enter</kbd> opens · <kbd>Esc</kbd> closes
      </span>
    </p>
  );
}

function Finder() {
  const id = useId();
  const input = useRef<HTMLInputElement>(null);
  const finding = useSearchResults();
  const { typed, sections, options, active, problems, fresh } = finding;
  /** Enter was pressed before the answer was there: it means the first of it. */
  const early = useRef<string | null>(null);
  useEffect(() => input.current?.focus(), []);
  const choose = (option: Option, elsewhere: boolean) => {
    if ("say" in option) typed.take(option.say, input.current);
    else if ("text" in option) typed.put(option.text, option.text.length, input.current);
    else leave(option, elsewhere);
  };
  const onKey = (event: KeyboardEvent) => {
    const chosen = options.find((one) => one.id === active);
    if (event.key === "ArrowDown" || event.key === "ArrowUp")
      typed.activate(moved(options, active, event.key === "ArrowDown" ? 1 : -1));
    else if (event.key === "Enter" && chosen) choose(chosen, event.ctrlKey || event.metaKey);
    else if (event.key === "Enter" && !fresh) early.current = typed.text;
    else if (event.key === "Tab" && !event.shiftKey && chosen && "say" in chosen) choose(chosen, false);
    else return;
    event.preventDefault();
  };
  useEffect(() => {
    const first = options.find((one) => one.id === active);
    if (!fresh || early.current === null) return;
    if (early.current === typed.text && first) leave(first, false);
    early.current = null;
  }, [fresh, active, options, typed.text]);
  return (
    <>
      <div className="search-line">
        <ComboField
          id={id}
          label="Search plans, nodes, streams and dashboards"
          ref={input}
          options={options}
          at={options.findIndex((one) => one.id === active)}
          wrong={problems !== null}
          placeholder="Search everything: a name, owner:me, is:failing…"
          data-testid="search-text"
          onKeyDown={onKey}
          {...typed.props}
        />
        <button type="button" className="quiet" data-testid="search-close" onClick={closeSearch}>
          Close
        </button>
      </div>
      <Said id={id} finding={finding} />
      <Options id={id} sections={sections} active={active} activate={typed.activate} choose={choose} />
      <Foot finding={finding} />
      <Help />
    </>
  );
}

function OpenSearch() {
  const dialog = useModal();
  return (
    <dialog
      ref={dialog}
      className="search-dialog"
      aria-label="Search"
      data-testid="search-dialog"
      onClose={closeSearch}
      onKeyDown={(event) => event.key === "Escape" && event.stopPropagation()}
      onClick={(event) => event.target === dialog.current && closeSearch()}
    >
      <Finder />
    </dialog>
  );
}

/** One search over everything, from every page. */
export function SearchDialog() {
  return useSearch((state) => state.open) ? <OpenSearch /> : null;
}
