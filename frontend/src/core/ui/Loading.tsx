interface Props {
  /** What is waited for, as a person would call it. */
  what: string;
  /** It is all that is on the page. */
  page?: boolean;
}

/** In place of what is being fetched: the shape of what comes, and once that takes long in words what it is. */
export function Loading({ what, page = false }: Props) {
  const told = (
    <div className="loading" role="status" data-testid="loading">
      <p className="opening faint">Loading {what}…</p>
      <div className="card skeleton" aria-hidden="true" />
      <div className="card skeleton" aria-hidden="true" />
    </div>
  );
  return page ? <main className="page">{told}</main> : told;
}

/** The same in a card that has its title already: in words only. */
export function LoadingText({ what }: Pick<Props, "what">) {
  return (
    <p className="opening faint" role="status">
      Loading {what}…
    </p>
  );
}
